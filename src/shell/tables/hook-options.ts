import type { SubcommandRow } from "./subcommand-wrappers.ts";

function hooks(names: string, code: string, example: string): SubcommandRow {
  return { names, verbs: "", code, example };
}

/** Options whose value is code that a program runs at some point of its work. */
export const HOOK_OPTIONS: readonly SubcommandRow[] = [
  hooks(
    "certbot",
    "--pre-hook --post-hook --deploy-hook --renew-hook --manual-auth-hook --manual-cleanup-hook",
    "certbot renew --pre-hook 'rm x'",
  ),
  hooks("yt-dlp youtube-dl", "--exec --exec-before-download --netrc-cmd", "yt-dlp --exec 'rm x' url"),
  hooks(
    "openvpn",
    "--up --down --route-up --route-pre-down --ipchange --tls-verify --client-connect --client-disconnect",
    "openvpn --up 'rm x'",
  ),
  hooks("restic", "--password-command", "restic --password-command 'rm x' snapshots"),
  hooks("borg", "--rsh", "borg list --rsh 'rm x'"),
  hooks("sshuttle", "--ssh-cmd -e", "sshuttle --ssh-cmd 'rm x' 10.0.0.0/8"),
  hooks("mail mailx", "--exec", "mail --exec 'rm x'"),
  hooks("plymouth", "--command", "plymouth ask-for-password --command='rm x'"),
  hooks("dnsmasq", "--conf-script --dhcp-script", "dnsmasq --conf-script='rm x'"),
  hooks("dhclient", "-sf", "dhclient -sf 'rm x'"),
  hooks("pip pip3", "--editor", "pip config --editor 'rm x' edit"),
  hooks("gem", "-e --editor", "gem open -e 'rm x' rake"),
  hooks("rpm rpmdb rpmquery rpmverify", "--pipe", "rpm -qa --pipe 'rm x'"),
  hooks("latexmk", "-pdflatex -latex -pdf-previewer -e", "latexmk -latex 'rm x' paper"),
  hooks("mosh", "--server --ssh", "mosh --server='rm x' host"),
  hooks("git-annex rclone", "--password-command --metadata-mapper", "rclone ls r: --password-command 'rm x'"),
  hooks("cargo-watch", "-s --shell", "cargo-watch -s 'rm x'"),
  hooks("inotifywait incron gitwatch", "-g --exec", "gitwatch -g 'rm x'"),
];
