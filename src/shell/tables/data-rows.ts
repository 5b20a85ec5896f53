import type { VerbProgram } from "./types.ts";

/** A value that names a file whose content would be lost: not `-`, not a safe device. */
const FILE = /^(?!-$|\/dev\/(?:null|stdout|stderr|tty|full|fd\/\d+)$)[^]/;
const PAGER = /^(?!(?:cat|less|more|most|never|)(?: .*)?$)/;

/** Options of harmless programs that write a file, edit in place or run a helper (reference: shell.md §6, "Inert", exceptions). */
export const DATA_ROWS: readonly VerbProgram[] = [
  {
    family: "search",
    names: "rg ripgrep ag ack ugrep grep",
    data: true,
    valued: "-e -f -g -A -B -C -m -t -T --regexp --file --glob",
    rows: [
      {
        id: "helper",
        options: "--pre --hostname-bin --filter",
        verdict: "unverifiable",
        example: "rg --pre rm pattern .",
        clear: 'rg "terraform destroy" docs',
      },
      {
        id: "pager",
        options: "--pager",
        value: PAGER,
        verdict: "unverifiable",
        example: "ag --pager ./x delete",
        clear: "ag --pager less delete",
      },
    ],
  },
  {
    family: "manual",
    names: "man info",
    data: true,
    valued: "-P --pager -C --config-file -o --output -M -s -S",
    rows: [
      {
        id: "helper",
        options: "--html -H -P --pager -C --config-file --browser",
        verdict: "unverifiable",
        example: "man -P 'rm x' ls",
        clear: "man rm",
      },
      { id: "output", options: "-o --output", verdict: "overwrite", value: FILE, example: "info -o f ls", clear: "info -o - ls" },
    ],
  },
  {
    family: "pager",
    names: "less more most view zless bat batcat delta",
    data: true,
    valued: "-o -O -k --lesskey-src --lesskey-file -p -P -t -T --pager -l --language --theme -r --line-range",
    rows: [
      { id: "command", operand: /^\+.*[!|]/, verdict: "unverifiable", example: "less '+!rm x' notes.txt", clear: "less +G notes.txt" },
      {
        id: "keys",
        options: "-k --lesskey-src --lesskey-file --lesskey-content",
        verdict: "unverifiable",
        example: "less -k keys notes.txt",
        clear: "less -N notes.txt",
      },
      {
        id: "pager",
        options: "--pager",
        value: PAGER,
        verdict: "unverifiable",
        example: "bat --pager ./x notes.txt",
        clear: "bat --pager never notes.txt",
      },
      { id: "log", options: "-O --LOG-FILE", verdict: "overwrite", example: "less -O log notes.txt", clear: "less notes.txt" },
    ],
  },
  {
    family: "sort",
    names: "sort gsort shuf tsort",
    data: true,
    valued: "-o --output -k -t -S -T --parallel --batch-size --compress-program -n --key --random-source -i -e",
    rows: [
      {
        id: "output",
        options: "-o --output",
        value: FILE,
        verdict: "overwrite",
        example: "sort -uo data.txt other.txt",
        clear: "sort -o /dev/null other.txt",
      },
      {
        id: "compress-program",
        options: "--compress-program",
        value: /^(?!(?:gzip|bzip2|xz|lzop|zstd|pigz)$)/,
        verdict: "unverifiable",
        example: "sort --compress-program=rm data.txt",
        clear: "sort --compress-program=gzip data.txt",
      },
    ],
  },
  {
    family: "output",
    names: "base64 base32 basenc tree iconv xmllint pandoc dot shfmt mmdc",
    data: true,
    valued: "-o --output -L -P -I -f -t --from-code --to-code -w -i --from --to -T",
    rows: [
      {
        id: "file",
        options: "-o --output --outfile",
        value: FILE,
        verdict: "overwrite",
        example: "base64 -d -o out.bin x.b64",
        clear: "base64 -d x.b64",
      },
    ],
  },
  {
    family: "filter",
    names: "uniq xxd",
    data: true,
    valued: "-f -s -w -c -g -l -o -n --skip-fields --skip-chars --check-chars",
    rows: [{ id: "output", verbs: "* *", verdict: "overwrite", example: "uniq a.txt b.txt", clear: "uniq -c a.txt" }],
  },
  {
    family: "yq",
    names: "yq xq tomlq dasel xmlstarlet jq",
    data: true,
    valued: "-p -o -f --from-file --arg --argjson --indent",
    rows: [
      {
        id: "in-place",
        options: "-i --inplace --in-place",
        choice: "in_place_edit",
        verdict: "overwrite",
        example: "yq -i .a=1 x.yml",
        clear: "yq .a x.yml",
      },
    ],
  },
  {
    family: "log",
    names: "journalctl dmesg history",
    data: true,
    valued: "-u -n -p -o -t -w --since --until --unit --lines --priority",
    rows: [
      {
        id: "clear",
        options: "--vacuum-size --vacuum-time --vacuum-files -C --clear",
        example: "journalctl --vacuum-time=1s",
        clear: "journalctl -u stop",
      },
    ],
  },
  {
    family: "compiler",
    names: "gcc g++ cc c++ clang clang++",
    data: true,
    single: true,
    valued: "-o -I -L -x -include -MF -MT -wrapper -isystem -Xlinker -Xclang",
    rows: [
      {
        id: "plugin",
        options: "-wrapper -fplugin -fpass-plugin -load",
        verdict: "unverifiable",
        example: "gcc -wrapper rm,-rf x.c",
        clear: "gcc -Wall -o delete x.c",
      },
    ],
  },
  {
    family: "capture",
    names: "tcpdump",
    data: true,
    valued: "-w -r -i -c -s -C -G -W -z -F -y -E",
    rows: [
      { id: "helper", options: "-z", verdict: "unverifiable", example: "tcpdump -w x -G 1 -z ./x", clear: "tcpdump -i any port 80" },
      { id: "output", options: "-w", value: FILE, verdict: "overwrite", example: "tcpdump -w data.txt", clear: "tcpdump -w - -i any" },
    ],
  },
  {
    family: "chooser",
    names: "fzf",
    data: true,
    valued: "--preview --bind -q --query",
    rows: [
      {
        id: "helper",
        options: "--preview --bind --with-shell --become",
        verdict: "unverifiable",
        example: "fzf --preview 'rm {}'",
        clear: "fzf -q delete",
      },
    ],
  },
  {
    family: "editor-tool",
    names: "code code-insiders cursor",
    data: true,
    rows: [{ id: "uninstall", options: "--uninstall-extension", example: "code --uninstall-extension x", clear: "code --list-extensions" }],
  },
  {
    family: "zip",
    names: "zip",
    data: true,
    valued: "-t -tt -n -b -P -x -i -O --out --password --temp-path --exclude --include",
    rows: [{ id: "move", options: "-m -d --move --delete --filesync", example: "zip -rm a.zip data", clear: "zip -r a.zip data" }],
  },
  {
    family: "archive",
    names: "7z 7za 7zr rar ar",
    data: true,
    valued: "",
    rows: [
      { id: "delete", verbs: "d|m|rn", example: "7z d a.7z x", clear: "7z l a.7z" },
      { id: "delete-after", options: "-sdel --sdel", example: "7z a -sdel a.7z data", clear: "7z a a.7z data" },
    ],
    single: true,
  },
];
