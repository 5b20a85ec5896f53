import type { VerbProgram } from "./types.ts";

/** Infrastructure as code (reference: shell.md §6, "IaC"); `plan`, `preview` and `state list` stay clear. */
export const INFRASTRUCTURE_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "terraform",
    names: "terraform tofu terragrunt opentofu",
    valued: "--terragrunt-working-dir --terragrunt-config --working-dir --config --queue-include-dir --queue-exclude-dir",
    single: true,
    rows: [
      { id: "apply", verbs: "apply|apply-all", example: "terraform apply tfplan", clear: "terraform apply -help" },
      {
        id: "destroy",
        verbs: "destroy|destroy-all",
        example: "terraform -chdir=envs/prod destroy",
        clear: "terraform show destroy.tfplan",
      },
      { id: "taint", verbs: "taint", example: "terraform taint aws_instance.web", clear: "terraform untaint aws_instance.web" },
      { id: "force-unlock", verbs: "force-unlock", example: "terraform force-unlock 123", clear: "terraform providers" },
      { id: "state", verbs: "state rm|mv|push|replace-provider", example: "tofu state rm aws_instance.web", clear: "terraform state list" },
      { id: "workspace", verbs: "workspace delete", example: "terraform workspace delete dev", clear: "terraform workspace select delete" },
      {
        id: "run-all",
        verbs: "run-all|run|stack apply|destroy|taint|force-unlock",
        example: "terragrunt run-all destroy",
        clear: "terragrunt run-all plan",
      },
      { id: "run-stack", verbs: "stack run apply|destroy", example: "terragrunt stack run destroy", clear: "terragrunt stack run plan" },
      { id: "plan-destroy", verbs: "plan", options: "-destroy --destroy", choice: "iac_plan_destroy", example: "terraform plan -destroy" },
    ],
  },
  {
    family: "pulumi",
    names: "pulumi",
    valued: "-C --cwd -s --stack --color -v --verbose --config-file",
    rows: [
      { id: "apply", verbs: "up|update|refresh|cancel|destroy|down|dn", example: "pulumi -C infra up -y", clear: "pulumi preview" },
      { id: "stack", verbs: "stack|config|plugin|org|policy|env rm|remove", example: "pulumi stack rm dev", clear: "pulumi stack ls" },
      { id: "state", verbs: "state delete|unprotect|rename|move", example: "pulumi state delete urn", clear: "pulumi stack output" },
    ],
  },
  {
    family: "cdk",
    names: "cdk cdktf cdk8s sst serverless sls sam copilot amplify eb chalice zappa architect arc",
    valued: "-a --app -c --context --profile --region --stage -s",
    rows: [
      { id: "destroy", verbs: "destroy|delete|remove|rollback|gc|terminate|undeploy", example: "cdk destroy --force", clear: "cdk diff" },
      { id: "deploy", verbs: "deploy", example: "cdk --profile prod deploy", clear: "cdk synth" },
      { id: "group", verbs: "* delete|remove|destroy|terminate", example: "copilot app delete", clear: "copilot app ls" },
    ],
  },
  {
    family: "ansible",
    names: "ansible-playbook ansible-pull",
    valued:
      "-i --inventory -l --limit -u --user -f --forks -t --tags --skip-tags -M --module-path --vault-id --vault-password-file --start-at-task",
    dryRun: "--check -C --list-hosts --list-tasks --list-tags --syntax-check",
    rows: [
      {
        id: "extra-vars",
        options: "-e --extra-vars -t --tags --start-at-task",
        value: /state[=: "']+absent|\b(?:delete|destroy|purge|terminate|teardown|uninstall|wipe)/i,
        example: "ansible-playbook site.yml -e state=absent",
        clear: "ansible-playbook site.yml -e state=present",
      },
      {
        id: "play",
        operand: /(?:^|[/_.-])(?:delete|destroy|purge|terminate|teardown|uninstall|wipe)|state=absent/i,
        example: "ansible-playbook plays/destroy.yml",
        clear: "ansible-playbook plays/destroy.yml --check",
      },
    ],
  },
  {
    family: "ansible-module",
    names: "ansible",
    valued: "-i -m -a -l -u -f -e --inventory --module-name --args --limit --user --forks --extra-vars",
    dryRun: "--check -C --list-hosts --syntax-check",
    rows: [
      {
        id: "absent",
        options: "-a --args",
        value: /\bstate=(?:absent|removed|stopped)\b/,
        example: "ansible all -m apt -a 'name=nginx state=absent'",
        clear: "ansible all -m ping",
      },
      {
        id: "module",
        options: "-m --module-name",
        value: /(?:^|\.)(?:reboot|shutdown|win_reboot)$/,
        example: "ansible web -m reboot",
        clear: "ansible web -m setup",
      },
    ],
  },
  {
    family: "vagrant",
    names: "vagrant packer nomad consul knife chef puppet juju maas",
    valued: "-address -namespace -region",
    single: true,
    rows: [
      { id: "halt", verbs: "halt|suspend|stop|leave|reset", example: "vagrant halt", clear: "vagrant status" },
      {
        id: "remove",
        verbs:
          "box|snapshot|plugin|job|node|kv|system|namespace|volume|model|machine|unit remove|delete|uninstall|purge|gc|stop|rm|drain|release",
        example: "nomad job stop -purge web",
        clear: "nomad job status web",
      },
      { id: "node", verbs: "remove-*|destroy-*|kill-*", example: "juju remove-unit web/0", clear: "juju show-unit web/0" },
    ],
  },
];
