/** Programs whose arguments are text, names or files to read: no word of theirs is a verb (reference: shell.md §6, "Inert"). */
export const DATA_PROGRAMS = [
  // Printing and reading.
  "echo printf cat tac ls dir vdir pwd grep egrep fgrep zgrep rg ag ack ripgrep ugrep head tail wc cut tr uniq nl rev seq stat file which whereis type",
  "man info apropos whatis tldr help cheat id whoami uname date cal df du free ps pgrep pidof hostname uptime jq gojq less more most diff cmp comm colordiff delta",
  "tree basename dirname realpath readlink test [ true false : cd pushd popd shopt umask wait sleep logger history jobs dirs hash xxd od hexdump hd strings",
  "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum lsblk lscpu lsusb lspci lsmod lsns lslocks lsattr getfacl blkid findmnt dig nslookup",
  "host ping ping6 traceroute tracepath mtr column paste fold expr let return exit break continue read mapfile readarray lsof ss netstat groups tty bc factor",
  "apt-cache dpkg-query perf printenv locale localectl hostnamectl timedatectl getent nproc last lastlog who w users finger look join fmt pr expand unexpand tsort shuf sort base64 base32",
  "zcat bzcat xzcat zless zmore bat batcat exa eza lsd fzf yq xq tomlq htmlq pup xmllint xmlstarlet csvcut csvgrep csvlook mlr dasel gron fx glow mdcat",
  "set unset local export declare typeset readonly getopts unalias bg fg disown times caller suspend compopt ulimit iconv dos2unix unix2dos tput clear reset stty",
  "journalctl dmesg vmstat iostat mpstat sar top htop btop atop iotop nethogs iftop pstree pmap ldd nm objdump readelf size c++filt addr2line",
  "cowsay cowthink figlet toilet lolcat fortune sl yes banner boxes dcg shellcheck shfmt explainshell whois geoiplookup getconf locate mlocate updatedb",
  // Making and copying, where nothing is lost.
  "mkdir touch mktemp mkfifo mknod cp ln install-info split csplit truncate-check file-roller sync dircolors ranlib ld as gcc g++ cc c++ clang clang++",
  "rustc rustfmt tsc eslint prettier biome oxlint oxfmt ruff black flake8 mypy pyright pylint isort gofmt golangci-lint staticcheck clang-format javac kotlinc scalac",
  // Tests, whose words are filters and names.
  "pytest py.test tox nox jest vitest mocha ava tap tape jasmine karma cypress playwright rspec minitest phpunit pest ctest gtest bats busted nyc c8 coverage nose2 unittest",
  // Editors and viewers of files; what they can run is judged by editor.ts.
  "vim vi nvim view vimdiff nano pico micro emacs emacsclient code code-insiders cursor subl gedit kate xdg-open open mate hx helix kak joe mcedit",
  // Messages and tickets.
  "mail mailx mutt sendmail msmtp notify-send wall write say espeak osd_cat slack-cat jira linear tg telegram-send apprise ntfy",
  // Archives and transfers; what replaces or runs is judged by rows and by archives.ts.
  "tar bsdtar zip unzip 7z 7za 7zr cpio ar unrar rar jar scp sftp ftp lftp rsync curl wget http https xh httpie curlie aria2c axel nmap tcpdump tshark openssl",
];
