/** Programs that run another one after a word of theirs: `bundle exec rake`, `poetry run rm`. */
export interface SubcommandRow {
  readonly names: string;
  /** Words after which the program stands. */
  readonly verbs: string;
  readonly valued?: string;
  /** Operands between the verb and the program. */
  readonly skip?: number;
  readonly assigns?: true;
  /** The words are joined into shell code. */
  readonly joins?: true;
  readonly code?: string;
  readonly example: string;
  readonly clear?: string;
}

/** The rows; everything else that these programs do is judged by their verb tables. */
export const SUBCOMMAND_WRAPPERS: readonly SubcommandRow[] = [
  {
    names: "perf",
    verbs: "stat record trace mem",
    valued: "-e -o -F -g -p -C -r --event --output",
    example: "perf stat -e cycles rm x",
    clear: "perf stat ls",
  },
  {
    names: "npm",
    verbs: "exec x",
    valued: "-p --package -w --workspace",
    code: "-c --call",
    example: "npm exec -- rimraf build",
    clear: "npm exec -- tsc",
  },
  {
    names: "pnpm",
    verbs: "exec dlx x",
    valued: "--package",
    code: "-c --shell-mode",
    example: "pnpm dlx rimraf build",
    clear: "pnpm exec tsc",
  },
  { names: "yarn", verbs: "exec dlx", valued: "-p --package", example: "yarn dlx rimraf build", clear: "yarn exec tsc" },
  {
    names: "lerna nx",
    verbs: "exec",
    valued: "--scope --ignore --concurrency",
    example: "lerna exec -- rm -rf build",
    clear: "lerna exec -- ls",
  },
  {
    names: "sops",
    verbs: "exec-env exec-file",
    skip: 1,
    joins: true,
    example: "sops exec-env s.yaml 'rm x'",
    clear: "sops exec-env s.yaml env",
  },
  { names: "bun", verbs: "x", example: "bun x rimraf build", clear: "bun x tsc" },
  { names: "bundle bundler", verbs: "exec", example: "bundle exec rake db:drop", clear: "bundle exec rspec" },
  { names: "poetry pdm rye hatch pipenv", verbs: "run", valued: "-e --env", example: "poetry run rm x", clear: "poetry run pytest" },
  {
    names: "uv",
    verbs: "run",
    valued: "--with --python -p --extra --group --env-file --project --directory --package",
    example: "uv run rm x",
    clear: "uv run pytest",
  },
  { names: "pipx", verbs: "run", valued: "--spec --python", example: "pipx run rm x", clear: "pipx run black ." },
  {
    names: "conda mamba micromamba",
    verbs: "run",
    valued: "-n -p --name --prefix --cwd",
    example: "conda run -n x rm y",
    clear: "conda run -n x pytest",
  },
  {
    names: "asdf mise pyenv rbenv nodenv goenv jenv volta nvm rvm chruby-exec",
    verbs: "exec x run",
    valued: "-C --cd -E",
    example: "rbenv exec rm x",
    clear: "rbenv exec ruby -v",
  },
  { names: "rustup", verbs: "run", skip: 1, example: "rustup run nightly rm x", clear: "rustup run nightly cargo test" },
  { names: "op", verbs: "run", valued: "--env-file", example: "op run -- rm x", clear: "op run -- ls" },
  { names: "ip", verbs: "exec", skip: 1, example: "ip netns exec ns1 rm x", clear: "ip netns exec ns1 ip addr" },
  { names: "podman", verbs: "unshare", example: "podman unshare rm x", clear: "podman unshare ls" },
  {
    names: "buildah",
    verbs: "run unshare",
    valued: "-v --volume --user",
    skip: 1,
    example: "buildah run ctr rm x",
    clear: "buildah run ctr ls",
  },
  {
    names: "lxc incus multipass",
    verbs: "exec",
    skip: 1,
    valued: "--env --user --cwd --mode",
    example: "lxc exec web -- rm x",
    clear: "lxc exec web -- ls",
  },
  { names: "crictl ctr", verbs: "exec", skip: 1, valued: "--exec-id --user", example: "crictl exec web rm x", clear: "crictl exec web ls" },
  {
    names: "machinectl",
    verbs: "shell",
    skip: 1,
    valued: "-M --machine --uid -E --setenv",
    example: "machinectl shell root@web /bin/rm x",
    clear: "machinectl shell root@web /bin/ls",
  },
  {
    names: "distrobox toolbox",
    verbs: "enter run",
    valued: "-c -n --container --name",
    example: "distrobox enter -n x -- rm y",
    clear: "toolbox list",
  },
  { names: "flatpak", verbs: "run", valued: "--command", skip: 1, example: "flatpak run org.x rm y", clear: "flatpak list" },
  { names: "guix", verbs: "shell", valued: "-m", skip: 0, example: "guix shell -- rm x", clear: "guix shell -- ls" },
  { names: "vagrant", verbs: "ssh", code: "-c --command", example: "vagrant ssh -c 'rm x'", clear: "vagrant ssh -c uptime" },
  { names: "fly flyctl", verbs: "console", code: "-C --command", example: "fly ssh console -C 'rm x'", clear: "fly ssh console -C uptime" },
  {
    names: "gcloud",
    verbs: "ssh",
    code: "--command",
    example: "gcloud compute ssh vm --command 'rm x'",
    clear: "gcloud compute ssh vm --command uptime",
  },
  { names: "aws", verbs: "execute-command", code: "--command", example: "aws ecs execute-command --command 'rm x'" },
  {
    names: "heroku",
    verbs: "run run:detached",
    valued: "-a --app -r --remote -s --size -e --env",
    joins: true,
    example: "heroku run -a app rm x",
    clear: "heroku run -a app ls",
  },
  { names: "salt", verbs: "cmd.run cmd.shell", joins: true, example: "salt web cmd.run 'rm x'", clear: "salt web cmd.run uptime" },
  { names: "ansible", verbs: "", code: "-a --args", example: "ansible all -m shell -a 'rm x'", clear: "ansible all -m shell -a uptime" },
  { names: "dotnet", verbs: "exec", skip: 0, example: "dotnet exec rm x", clear: "dotnet build" },
  { names: "git", verbs: "annex-exec", example: "git annex-exec rm x" },
  { names: "split", verbs: "", code: "--filter", example: "split --filter='rm x' data", clear: "split -l 10 data" },
  { names: "zip", verbs: "", code: "-TT --unzip-command", example: "zip -T -TT 'rm x' a.zip f", clear: "zip a.zip f" },
  { names: "cmake", verbs: "env", assigns: true, valued: "--unset", example: "cmake -E env FOO=1 rm x", clear: "cmake -E env FOO=1 ls" },
];
