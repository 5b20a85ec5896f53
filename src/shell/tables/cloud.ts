import type { VerbProgram } from "./types.ts";

const AWS_VERBS =
  "delete*|terminate*|destroy*|remove*|purge*|batch-delete*|deregister*|stop*|disable*|revoke*|release*|detach*|cancel*|reset*|schedule-key-deletion|" +
  "disassociate*|reboot*|drop*|forget*|deactivate*|undeploy*|expire*|wipe*|shutdown*|abort*|close-account|leave-organization|unassign*|untag*|unsubscribe*|deprecate*|batch-disassociate*|batch-remove*|force-*";

/** Cloud command lines (reference: shell.md §6, "Cloud"). */
export const CLOUD_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "aws",
    names: "aws awslocal aws2",
    valued:
      "--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout --cli-binary-format --color",
    dryRun: "--dryrun --dry-run",
    rows: [
      {
        id: "operation",
        verbs: `* ${AWS_VERBS}`,
        example: "aws --profile prod rds delete-db-instance --db-instance-identifier main",
        clear: "aws ec2 terminate-instances --instance-ids i-1 --dry-run",
      },
      {
        id: "s3-remove",
        verbs: "s3 rm|rb|mv",
        example: "aws s3 rm s3://bucket/path --recursive",
        clear: "aws s3 rm s3://bucket/path --recursive --dryrun",
      },
      {
        id: "s3-delete",
        verbs: "s3 sync",
        options: "--delete",
        example: "aws s3 sync ./empty s3://bucket --delete",
        clear: "aws s3 ls s3://deleted-items",
      },
      {
        id: "to-zero",
        options: "--desired-count --desired-capacity --min-size --max-size --min-capacity --max-capacity --reserved-concurrent-executions",
        value: /^0$/,
        example: "aws ecs update-service --service web --desired-count 0",
        clear: "aws ecs update-service --service web --desired-count 2",
      },
      {
        id: "delete-action",
        options: "--change-batch --request-items --cli-input-json",
        value: /"Action"\s*:\s*"DELETE"|"DeleteRequest"/i,
        example: 'aws route53 change-resource-record-sets --change-batch \'{"Changes":[{"Action":"DELETE"}]}\'',
        clear: 'aws route53 change-resource-record-sets --change-batch \'{"Changes":[{"Action":"UPSERT"}]}\'',
      },
      {
        id: "remote-command",
        verbs: "ssm send-command|start-session",
        verdict: "unverifiable",
        example: "aws ssm send-command --document-name AWS-RunShellScript",
        clear: "aws ssm list-commands",
      },
      {
        id: "execute-command",
        verbs: "ecs execute-command",
        verdict: "unverifiable",
        example: "aws ecs execute-command --command 'rm -rf /srv'",
        clear: "aws ecs list-tasks",
      },
    ],
  },
  {
    family: "gcloud",
    names: "gcloud",
    valued:
      "--project --account --configuration --format --filter --verbosity --impersonate-service-account --billing-project --zone --region --location",
    after: { "*": "--project --account --configuration --format --filter --zone --region --location --verbosity --limit --sort-by --uri" },
    rows: [
      { id: "storage-move", verbs: "storage mv", example: "gcloud storage mv gs://a gs://b", clear: "gcloud storage cp gs://a gs://b" },
      {
        id: "resize-zero",
        options: "--num-nodes --size --min-instances",
        value: /^0$/,
        example: "gcloud container clusters resize c --num-nodes 0",
        clear: "gcloud container clusters resize c --num-nodes 3",
      },
    ],
    anywhere: {
      verbs:
        "delete destroy terminate remove rm rb purge deallocate revoke disable uninstall forget prune drop stop reset undeploy abandon suspend",
      example: "gcloud storage rm --recursive gs://bucket",
      clear: 'gcloud compute instances list --filter="name~destroy"',
    },
  },
  {
    family: "az",
    names: "az azd",
    valued: "--subscription -o --output --query -g --resource-group -n --name",
    after: { "*": "--subscription -o --output --query -g --resource-group -n --name --ids --vault-name --account-name --mode" },
    rows: [
      {
        id: "rest-delete",
        verbs: "rest",
        options: "--method -m",
        value: /^delete$/i,
        example: "az rest --method delete --uri x",
        clear: "az rest --method get --uri x",
      },
      {
        id: "run-command",
        verbs: "vm|vmss|aks run-command|command invoke",
        verdict: "unverifiable",
        example: "az vm run-command invoke -n vm",
        clear: "az vm list",
      },
      { id: "down", verbs: "down", example: "azd down --purge", clear: "azd env list" },
      {
        id: "complete",
        verbs: "deployment",
        options: "--mode",
        value: /^complete$/i,
        example: "az deployment group create -g rg --mode Complete -f main.bicep",
        clear: "az deployment group create -g rg --mode Incremental -f main.bicep",
      },
    ],
    anywhere: {
      verbs: "delete destroy terminate remove rm purge deallocate revoke disable uninstall forget prune drop stop untag redeploy reimage",
      example: "az vm deallocate -g rg -n vm",
      clear: "az vm show -g rg -n delete-me",
    },
  },
  {
    family: "github",
    names: "gh glab hub",
    valued: "-R --repo --hostname -H --header",
    after: {
      api: "-X --method -H --header -f -F --field --raw-field --input --jq -q -t --template --hostname --cache -p --preview",
      "*": "-R --repo -t --title -b --body -l --label -S --search -q --jq -s --state -L --limit",
    },
    rows: [
      {
        id: "api-delete",
        verbs: "api",
        options: "-X --method",
        value: /^delete$/i,
        example: "gh api -X DELETE repos/o/r",
        clear: "gh api repos/o/r",
      },
      {
        id: "api-mutation",
        verbs: "api",
        options: "-f -F --field --raw-field",
        value: /^(?=[^]*mutation)(?=[^]*(?:delete|remove|archive|close))/i,
        example: "gh api graphql -f query='mutation{deleteRef(input:{})}'",
        clear: "gh api graphql -f query='query{viewer{login}}'",
      },
      {
        id: "delete-branch",
        verbs: "pr|mr merge|close",
        options: "-d --delete-branch --remove-source-branch",
        example: "gh pr merge 1 --squash --delete-branch",
        clear: "gh pr merge 1 --squash",
      },
      {
        id: "alias-shell",
        verbs: "alias set",
        options: "-s --shell",
        verdict: "unverifiable",
        example: "gh alias set x --shell 'rm -rf build'",
        clear: "gh alias list",
      },
    ],
    anywhere: {
      verbs: "delete destroy terminate remove rm purge revoke disable uninstall prune drop cancel archive",
      example: "gh repo delete owner/repo --yes",
      clear: 'gh pr list --search "delete in:title"',
    },
  },
  {
    family: "platform",
    names:
      "heroku vault doctl fly flyctl vercel netlify wrangler linode-cli hcloud scw ibmcloud oci aliyun civo exo openstack render railway supabase firebase " +
      "pscale turso neonctl atlas confluent databricks bq cf stripe auth0 okta op bw etcdctl rabbitmqadmin nats kcat sf sfdx twilio ngrok cloudflared dapr " +
      "influx surge shopify expo eas sentry-cli dvc mlflow wandb huggingface-cli hf kaggle doppler infisical circleci gitlab-runner jenkins-cli ldcli unleash flipt fastly algolia meilisearch splunk deck kcadm kcadm.sh newrelic datadog-ci launchdarkly buildkite-agent bk act tkn argo prefect airflow dagster temporal tctl cadence pulsarctl rpk ksql",
    valued: "-a --app -r --remote -t --token -o --org -c --config --scope --cwd --project -p --project-id --profile --region -u --user",
    after: { d1: "--command --file" },
    rows: [
      {
        id: "reset",
        verbs: "pg:reset|ps:stop|ps:kill|redis:reset|pg:kill|pg:killall|maintenance:on",
        example: "heroku pg:reset DATABASE",
        clear: "heroku pg:info",
      },
      { id: "supabase-reset", verbs: "db reset", example: "supabase db reset", clear: "supabase db diff" },
      {
        id: "stop",
        verbs: "machine|machines|server|apps|app|vm|instance stop|kill|suspend|poweroff|shutdown|reset",
        example: "fly machine stop 1",
        clear: "fly machine list",
      },
      { id: "scale-zero", verbs: "scale|ps:scale", operand: /^(?:0|\w+=0)$/, example: "fly scale count 0", clear: "fly scale count 2" },
      { id: "down", verbs: "down", example: "railway down", clear: "railway up" },
      {
        id: "sql",
        verbs: "d1 execute",
        options: "--command",
        value: /\b(?:drop|truncate|delete|alter)\b/i,
        example: "wrangler d1 execute shop --command 'drop table t'",
        clear: "wrangler d1 execute shop --command 'select 1'",
      },
      {
        id: "sql-file",
        verbs: "d1 execute",
        options: "--file",
        verdict: "unverifiable",
        example: "wrangler d1 execute shop --file x.sql",
        clear: "wrangler d1 list",
      },
      { id: "seal", verbs: "operator seal|step-down|rekey", example: "vault operator seal", clear: "vault operator members" },
    ],
    anywhere: {
      verbs:
        "delete destroy terminate remove rm rb purge deallocate revoke disable uninstall forget prune drop del obliterate wipe unpublish rollback archive unregister clean clear roll reset kill unset",
      example: "fly apps destroy web",
      clear: "vault read secret/delete",
    },
  },
];
