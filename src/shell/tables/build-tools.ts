import type { VerbProgram } from "./types.ts";

const TARGET =
  /^(?!test|check|lint|verify|docs?\b|help|build-|ci\b)(?:.*[-_:./])?(?:(?:dist|real|very|super|deep|full|maintainer-|mostly)?clean(?:all|up)?|destroy|uninstall|purge|reset|nuke|delete|drop|wipe|teardown|tear-down|terminate|undeploy|prune|clobber|mrproper|obliterate)(?:$|[-_:./].*)/i;

/** Build tools: their conventional targets that delete (reference: shell.md §6, "make targets"). */
export const BUILD_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "make",
    names: "make gmake bmake nmake",
    valued: "-f -C -I -o -W -E --file --directory --makefile --include-dir --old-file --new-file --assume-old --assume-new --eval",
    dryRun: "-n --dry-run --just-print --recon",
    rows: [
      { id: "target", operand: TARGET, example: "make -j4 distclean", clear: "make -n clean" },
      { id: "eval", options: "-E --eval", verdict: "unverifiable", example: "make --eval='x:;rm -rf build' x", clear: "make -C src all" },
      {
        id: "function",
        operand: /\$[({]|\$\$|^\w+\s*!=/,
        verdict: "unverifiable",
        example: "make 'X:=$(shell rm -rf build)' all",
        clear: "make PREFIX=/usr all",
      },
      {
        id: "shell",
        operand: /^\.?SHELL(?:FLAGS)?:?=/,
        verdict: "unverifiable",
        example: "make SHELL='rm -rf' all",
        clear: "make CC=clang all",
      },
    ],
  },
  {
    family: "build",
    names:
      "just task ninja mvn mvnw gradle gradlew ant sbt lein mix rebar3 bazel bazelisk buck2 pants waf scons meson flutter xcodebuild stack cabal dune lerna nx turbo rush grunt gulp jake invoke moon earthly zig",
    valued: "-f -C -d -p --file --build-file -t --project-dir --justfile --working-directory --taskfile -P",
    rows: [
      { id: "target", operand: TARGET, example: "mvn clean install", clear: "mvn -q test" },
      { id: "ninja-clean", options: "-t", value: /^clean/, example: "ninja -t clean", clear: "ninja -t targets" },
    ],
  },
  {
    family: "cmake",
    names: "cmake",
    data: true,
    valued: "-S -B -G -D -U -C -T -A --build --target -t --install --preset -E -P --config",
    rows: [
      {
        id: "remove",
        options: "-E",
        value: /^(?:rm|remove|remove_directory|rename)$/,
        example: "cmake -E rm -rf build",
        clear: "cmake -E echo rm",
      },
      {
        id: "target",
        options: "--target -t",
        value: /^(?:clean|uninstall|distclean)$/,
        example: "cmake --build . --target clean",
        clear: "cmake --build . --target all",
      },
    ],
  },
  {
    family: "task",
    names: "composer mise deno",
    rows: [
      {
        id: "script",
        verbs: "run|run-script|task clean|clean:*|reset|db:drop|db:reset|db:wipe|db:purge|destroy*|purge*|nuke*|wipe*|delete*",
        example: "deno task clean",
        clear: "composer run test",
      },
    ],
  },
  {
    family: "deno",
    names: "deno",
    data: true,
    rows: [{ id: "remove", verbs: "uninstall|remove|rm|clean", example: "deno uninstall x", clear: "deno fmt" }],
  },
  {
    family: "swift",
    names: "swift",
    data: true,
    rows: [{ id: "clean", verbs: "package clean|reset|purge-cache", example: "swift package clean", clear: "swift package resolve" }],
  },
  {
    family: "scons",
    names: "scons",
    rows: [{ id: "clean", options: "-c --clean --remove", example: "scons -c", clear: "scons -Q" }],
  },
  {
    family: "go",
    names: "go",
    rows: [{ id: "clean", verbs: "clean", example: "go clean -modcache", clear: "go test -run TestDelete ./..." }],
  },
];
