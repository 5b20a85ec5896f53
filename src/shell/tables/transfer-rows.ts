import type { VerbProgram } from "./types.ts";

/** A value that names a file whose content would be lost: not `-`, not a safe device. */
const FILE = /^(?!-$|\/dev\/(?:null|stdout|stderr|tty|full|fd\/\d+)$)[^]/;

/** Options of transfer programs that delete, replace or run a helper (reference: shell.md §6, "Cloud", "Overwrites", "remote"). */
export const TRANSFER_ROWS: readonly VerbProgram[] = [
  {
    family: "curl",
    names: "curl curlie",
    data: true,
    valued:
      "-X -H -d -o -u -A -e -b -c -D -F -K -T -Q -m -w -x -y -Y -z -C -E -U -P -r -t --request --header --data --output --user --config --quote --upload-file " +
      "--form --data-raw --data-binary --data-urlencode --json --url --proxy --max-time --write-out --cookie --cookie-jar --user-agent --referer --cacert --cert --key",
    rows: [
      {
        id: "delete",
        options: "-X --request",
        value: /^(?:delete|purge|unlink|mkcol-delete)$/i,
        example: "curl -sX DELETE https://api.example.test/v1/users/7",
        clear: "curl -s https://api.example.test/v1/deleted?limit=5",
      },
      {
        id: "method-header",
        options: "-H --header",
        value: /^x-(?:http-)?method(?:-override)?\s*:\s*(?:delete|purge)/i,
        example: "curl -H 'X-HTTP-Method-Override: DELETE' https://api.example.test/v1/users/7",
        clear: "curl -H 'Accept: text/delete' https://api.example.test/v1/users/7",
      },
      {
        id: "output",
        options: "-o --output --output-dir",
        value: FILE,
        verdict: "overwrite",
        example: "curl -sSLo src/app.ts https://example.test/x",
        clear: "curl -o /dev/null https://example.test/x",
      },
      { id: "config", options: "-K --config", verdict: "unverifiable", example: "curl -K opts.txt", clear: "curl -k https://example.test" },
      {
        id: "quote",
        options: "-Q --quote",
        value: /\b(?:dele|rmd|rm|rmdir|rnfr|rename|unlink)\b/i,
        example: "curl -Q 'DELE a.txt' ftp://h/",
        clear: "curl -Q 'PWD' ftp://h/",
      },
      {
        id: "mutation",
        options: "-d --data --data-raw --data-binary --json",
        value: /^(?=[^]*mutation)(?=[^]*(?:delete|remove|destroy|terminate|drop|purge)[A-Z])/,
        example: `curl https://example.test/graphql -d '{"query":"mutation{deleteUser(id:7){id}}"}'`,
        clear: `curl https://example.test/graphql -d '{"query":"query{user(id:7){deletedAt}}"}'`,
      },
      {
        id: "endpoint",
        options: "-X --request -d --data --data-raw --data-binary --json",
        operand: /\/(?:_delete_by_query|doDelete|delete-batch|delete_series)(?:$|[?/])/,
        example: "curl -X POST http://localhost:9200/logs/_delete_by_query",
        clear: "curl http://localhost:9200/logs/_search",
      },
    ],
  },
  {
    family: "wget",
    names: "wget wget2",
    data: true,
    valued:
      "-O -o -a -e -i -B -t -T -w -Q -P -U -l -A -R -D -I -X --method --output-document --execute --header --post-data --body-data --user --password",
    rows: [
      {
        id: "delete",
        options: "--method",
        value: /^(?:delete|purge)$/i,
        example: "wget --method=DELETE https://api.example.test/v1/users/7",
        clear: "wget -qO- https://example.test/delete",
      },
      {
        id: "output",
        options: "-O --output-document",
        value: FILE,
        verdict: "overwrite",
        example: "wget -O src/app.ts https://example.test/x",
        clear: "wget -qO- https://example.test/x",
      },
      {
        id: "helper",
        options: "-e --execute --use-askpass",
        verdict: "unverifiable",
        example: "wget --use-askpass=./x https://example.test",
        clear: "wget --spider https://example.test",
      },
    ],
  },
  {
    family: "httpie",
    names: "http https xh xhs httpie curlie",
    data: true,
    valued: "-a --auth -o --output -s --style -p --print --session --proxy --verify --cert -A --auth-type --timeout",
    rows: [
      {
        id: "delete",
        verbs: "delete|purge",
        example: "http --verify no DELETE api.example.test/v1/users/7",
        clear: "http GET api.example.test/delete",
      },
      {
        id: "output",
        options: "-o --output",
        value: FILE,
        verdict: "overwrite",
        example: "http -o src/app.ts GET example.test",
        clear: "http example.test",
      },
    ],
  },
  {
    family: "download",
    names: "aria2c axel",
    data: true,
    valued: "-o --out -d --dir -i -n -s -x",
    rows: [
      {
        id: "hook",
        options: "--on-download-complete --on-download-start --on-download-stop --on-download-error --conf-path",
        verdict: "unverifiable",
        example: "aria2c --on-download-complete=./x u",
        clear: "aria2c u",
      },
      {
        id: "overwrite",
        options: "--allow-overwrite",
        value: /^true$/,
        verdict: "overwrite",
        example: "aria2c --allow-overwrite=true u",
        clear: "aria2c --allow-overwrite=false u",
      },
    ],
  },
  {
    family: "rsync",
    names: "rsync",
    data: true,
    valued:
      "-e -f -B -T -M --rsh --exclude --include --filter --exclude-from --include-from --files-from --rsync-path --port --log-file --bwlimit --timeout --chown " +
      "--chmod --partial-dir --backup-dir --suffix --compare-dest --copy-dest --link-dest --max-size --min-size --out-format --password-file",
    dryRun: "-n --dry-run",
    rows: [
      {
        id: "delete",
        options:
          "--del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args --remove-source-files --remove-sent-files",
        example: "rsync -a --del src/ dst/",
        clear: "rsync -avn --delete src/ dst/",
      },
    ],
  },
];
