import type { VerbProgram } from "./types.ts";

/** Package managers (reference: shell.md §6, "Services, packages, remote"). */
export const PACKAGE_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "apt",
    names: "apt apt-get aptitude dnf yum microdnf tdnf zypper dnf5",
    valued: "-t --target-release -c --config-file --repo --enablerepo --disablerepo --root -R",
    after: { "*": "-t --target-release -o --option -c" },
    rows: [
      {
        id: "remove",
        verbs: "remove|purge|autoremove|autopurge|erase|rm|swap|downgrade|distro-sync",
        example: "apt-get remove -y postgresql",
        clear: "apt list purge",
      },
      {
        id: "hook",
        options: "-o --option",
        value: /(?:invoke|hook|dpkg::options|methods|solver|planner)/i,
        verdict: "unverifiable",
        example: "apt-get update -o APT::Update::Pre-Invoke::=x",
        clear: "apt-get update -o Acquire::Retries=3",
      },
    ],
  },
  {
    family: "package",
    names: "apk snap flatpak emerge port pkg choco scoop winget xbps-remove guix nix swupd eopkg opkg urpme slackpkg",
    rows: [
      {
        id: "remove",
        verbs: "del|delete|remove|uninstall|autoremove|purge|deinstall|gc|unmerge|profile-remove",
        example: "apk del nginx",
        clear: "apk add nginx",
      },
      { id: "group", verbs: "profile|store|cleanup remove|delete|gc", example: "nix profile remove 0", clear: "nix profile list" },
      { id: "unmerge", options: "-C --unmerge --depclean --prune", example: "emerge --depclean", clear: "emerge --sync" },
    ],
  },
  {
    family: "dpkg",
    names: "dpkg",
    data: true,
    rows: [{ id: "remove", options: "-r -P --remove --purge", example: "dpkg --purge nginx", clear: "dpkg -l" }],
  },
  {
    family: "rpm",
    names: "rpm rpmdb rpmquery rpmverify",
    data: true,
    rows: [
      { id: "erase", options: "-e --erase", unless: "-q --query -V --verify", example: "rpm -e nginx", clear: "rpm -qa" },
      {
        id: "macro",
        options: "-E --eval",
        value: /%(?:\(|\{lua:)/,
        verdict: "unverifiable",
        example: "rpm --eval '%(rm -rf build)'",
        clear: "rpm --eval '%{_topdir}'",
      },
    ],
  },
  {
    family: "pacman",
    names: "pacman yay paru",
    rows: [{ id: "remove", options: "-R --remove", unless: "-S -Q -F", example: "pacman -Rns nginx", clear: "pacman -Qdt" }],
  },
  {
    family: "nix",
    names: "nix-env nix-collect-garbage nix-store",
    rows: [
      {
        id: "remove",
        options: "-e --uninstall --delete-old --delete-older-than -d --delete-generations --gc --delete",
        example: "nix-env -e nginx",
        clear: "nix-env -q",
      },
    ],
  },
  {
    family: "pip",
    names:
      "pip pip3 pipx pipenv poetry uv conda mamba micromamba pdm rye hatch gem brew bundle bundler composer cpan cpanm luarocks opam rustup pyenv rbenv nodenv volta asdf mise dotnet nuget pod mas",
    valued: "-p --python -n --name --directory --project -C --prefix -r",
    rows: [
      {
        id: "remove",
        verbs: "uninstall|remove|cleanup|rm|clean|purge|prune|yank|zap|implode|deintegrate|self-uninstall|uninstall-all|autoremove|erase",
        example: "pip uninstall -y requests",
        clear: "pip install confirm",
      },
      {
        id: "group",
        verbs:
          "pip|env|cache|python|tool|toolchain|self|plugin|workload|component|target|services|bundle|environments uninstall|remove|clean|purge|prune|stop|rm|delete|dir-clean",
        example: "conda env remove -n x",
        clear: "uv pip list",
      },
      { id: "environment", options: "--rm", example: "pipenv --rm", clear: "pipenv --venv" },
      { id: "ef-drop", verbs: "ef database drop", example: "dotnet ef database drop -f", clear: "dotnet ef database update" },
      { id: "nuget-delete", verbs: "nuget delete", example: "dotnet nuget delete pkg 1.0", clear: "dotnet nuget list source" },
    ],
  },
  {
    family: "npm",
    names: "npm pnpm yarn bun",
    valued: "--prefix -w --workspace -C --dir --filter -F --cwd",
    rows: [
      {
        id: "remove",
        verbs: "unpublish|deprecate|uninstall|remove|rm|un|r|unlink|prune",
        example: "npm unpublish my-pkg --force",
        clear: "npm install rimraf",
      },
      {
        id: "group",
        verbs:
          "cache|store|owner|team|token|dist-tag|org|access|hook|profile|pm|patch-remove|config|plugin clean|prune|rm|remove|delete|destroy|revoke",
        example: "npm dist-tag rm pkg beta",
        clear: "npm dist-tag ls pkg",
      },
      { id: "global", verbs: "global remove", example: "yarn global remove left-pad", clear: "yarn global add left-pad" },
      { id: "pm-cache", verbs: "pm cache rm", example: "bun pm cache rm", clear: "bun pm cache" },
      {
        id: "script",
        verbs: "run|run-script|rum|urn",
        first: true,
        operand: /(?:^|:)(?:(?:delete|destroy|terminate|purge|drop|wipe|nuke|uninstall|rm)(?:$|[:-])|(?:clean|reset)(?:$|:))/i,
        example: "npm run db:drop",
        clear: "npm run transform -- --watch",
      },
      {
        id: "bare-script",
        verbs: "delete*|destroy*|purge*|nuke*|wipe*|clean|clean:*|reset|db:drop|db:destroy|db:wipe|db:reset|db:purge",
        example: "yarn db:drop",
        clear: "yarn test",
      },
    ],
  },
  {
    family: "cargo",
    names: "cargo",
    valued: "--manifest-path --color --config -Z -C",
    rows: [
      {
        id: "remove",
        verbs: "yank|owner|clean|uninstall|remove|rm",
        example: "cargo yank --version 1.0.0 my-crate",
        clear: "cargo test remove_file_works",
      },
      { id: "fix", verbs: "fix", options: "--allow-dirty", example: "cargo fix --allow-dirty", clear: "cargo check" },
    ],
  },
];
