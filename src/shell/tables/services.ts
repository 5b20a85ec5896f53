import type { VerbProgram } from "./types.ts";

/** Services and system administration (reference: shell.md §6, "Services", "Destroying programs" with verbs). */
export const SERVICE_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "systemctl",
    names: "systemctl",
    valued: "-H --host -M --machine -t --type -p --property -s --signal -n --lines -o --output --root --state",
    rows: [
      {
        id: "stop",
        verbs:
          "stop|disable|mask|kill|isolate|poweroff|reboot|halt|rescue|emergency|kexec|suspend|hibernate|hybrid-sleep|exit|soft-reboot|clean|revert",
        example: "systemctl --user stop nginx",
        clear: "systemctl status nginx",
      },
    ],
  },
  {
    family: "service",
    names: "service invoke-rc.d rc-service initctl sv svcadm monit god runit",
    rows: [
      {
        id: "stop",
        verbs: "* stop|restart|force-stop|force-restart|full-restart|condrestart|kill|down|disable|delete",
        example: "service postgresql stop",
        clear: "service postgresql status",
      },
      { id: "path", operand: /\//, verdict: "unverifiable", example: "service ../../bin/sh", clear: "service nginx start" },
      {
        id: "stop-first",
        verbs: "stop|restart|down|kill|disable|force-stop|force-shutdown|shutdown exit|*",
        example: "sv down nginx",
        clear: "sv status nginx",
      },
    ],
  },
  {
    family: "supervisor",
    names:
      "supervisorctl pm2 forever launchctl loginctl rabbitmqctl nginx apachectl apache2ctl caddy pg_ctl pg_ctlcluster circusctl honcho foreman",
    valued: "-c -s -p -D -m -l -u -n",
    rows: [
      {
        id: "stop",
        verbs:
          "stop|stopall|delete|kill|shutdown|remove|clear|unload|bootout|disable|terminate-*|kill-*|poweroff|reboot|halt|suspend|stop_app|reset|force_reset|" +
          "delete_*|purge_queue|forget_cluster_node|close_all_*|graceful-stop|quit",
        example: "pm2 delete all",
        clear: "pm2 list",
      },
      { id: "cluster-stop", verbs: "* * stop", example: "pg_ctlcluster 15 main stop", clear: "pg_ctlcluster 15 main status" },
      { id: "signal", options: "-s", value: /^(?:stop|quit)$/, example: "nginx -s stop", clear: "nginx -t" },
    ],
  },
  {
    family: "disk",
    names: "parted mdadm cryptsetup zfs zpool btrfs lvm dmsetup multipath nvme diskutil stratis",
    rows: [
      {
        id: "device",
        verbs: "* mklabel|mkpart|mktable|rm|resizepart|rescue",
        example: "parted /dev/sdb mklabel gpt",
        clear: "parted /dev/sdb print",
      },
      {
        id: "verb",
        verbs:
          "destroy|rollback|labelclear|remove|offline|detach|split|luksformat|erase|lukskillslot|luksremovekey|lukserase|reencrypt|lvremove|vgremove|pvremove|" +
          "lvreduce|wipe_table|remove_all|format|sanitize|erasedisk|erasevolume|partitiondisk|reformat|secureerase|zerodisk|randomdisk|delete|rm",
        example: "cryptsetup luksFormat /dev/sdb",
        clear: "zpool status",
      },
      {
        id: "group",
        verbs: "subvolume|device|qgroup|filesystem|pool|apfs delete|remove|destroy|deletevolume|deletecontainer|erasevolume",
        example: "btrfs subvolume delete /srv/snap",
        clear: "btrfs subvolume list /",
      },
      {
        id: "array",
        options: "--zero-superblock --stop --remove --fail",
        example: "mdadm --zero-superblock /dev/sdb",
        clear: "mdadm --detail /dev/md0",
      },
    ],
  },
  {
    family: "fallocate",
    names: "fallocate",
    valued: "-o -l --offset --length",
    rows: [
      {
        id: "hole",
        options: "-p --punch-hole -c --collapse-range -z --zero-range -d --dig-holes",
        example: "fallocate -p -o 0 -l 4096 disk.img",
        clear: "fallocate -l 1G disk.img",
      },
    ],
  },
  {
    family: "daemon",
    names: "start-stop-daemon",
    rows: [{ id: "stop", options: "-K --stop", example: "start-stop-daemon --stop --pidfile p", clear: "start-stop-daemon --status" }],
  },
  {
    family: "device",
    names: "hdparm losetup xfs_repair badblocks",
    rows: [
      {
        id: "option",
        options:
          "--security-erase --security-erase-enhanced --trim-sector-ranges --make-bad-sector --write-sector -w -L --detach --detach-all",
        example: "hdparm --security-erase p /dev/sdb",
        clear: "hdparm -I /dev/sdb",
      },
    ],
  },
  {
    family: "network",
    names:
      "ip ifconfig nmcli ufw firewall-cmd nft ipset tc brctl ovs-vsctl bridge wg wg-quick networksetup resolvectl virsh VBoxManage vboxmanage vmrun qm pct xe govc esxcli",
    valued: "-n -c --connect --zone -t -4 -6 -N --netns",
    rows: [
      {
        id: "remove",
        verbs:
          "delete|reset|disable|flush|destroy|del|del-*|delbr|down|undefine|shutdown|reboot|unregistervm|stop|managedsave|snapshot-delete",
        example: "ufw reset",
        clear: "ufw status",
      },
      {
        id: "object",
        verbs: "* delete|del|flush|down|modify-down|destroy|remove|off",
        example: "ip addr flush dev eth0",
        clear: "ip addr show",
      },
      {
        id: "virtual-machine",
        verbs: "controlvm * poweroff|reset|shutdown|reboot|acpipowerbutton",
        example: "VBoxManage controlvm vm poweroff",
        clear: "VBoxManage controlvm vm pause",
      },
      { id: "link-down", verbs: "link set", operand: /^down$/, example: "ip link set eth0 down", clear: "ip link set eth0 up" },
      {
        id: "rule",
        options: "--remove-port --remove-service --remove-rich-rule --remove-source --remove-interface --delete-zone --delete-service",
        example: "firewall-cmd --remove-port=80/tcp",
        clear: "firewall-cmd --list-all",
      },
    ],
  },
  {
    family: "firewall",
    names: "iptables ip6tables ebtables arptables",
    valued: "-t --table -A -I -s -d -p -j -i -o -m",
    rows: [
      {
        id: "rule",
        options: "-F -X -D -P --flush --delete --delete-chain --policy -Z --zero",
        example: "iptables -t nat -F",
        clear: "iptables -L -n",
      },
    ],
  },
  {
    family: "account",
    names: "passwd usermod gpasswd",
    valued: "-u -g -G -d -s -c -e -a -A -M",
    rows: [{ id: "lock", options: "-L --lock -l --delete --expire", example: "passwd -l bob", clear: "passwd -S bob" }],
  },
  {
    family: "key",
    names: "gpg gpg2 ssh-keygen",
    valued: "-f -C -t -b -N -P -u -r -o -i --recipient --output --local-user --homedir",
    rows: [
      {
        id: "delete",
        options: "-D -R --delete-keys --delete-secret-keys --delete-key --delete-secret-key --delete-secret-and-public-key",
        example: "gpg --delete-secret-keys x",
        clear: "gpg --list-keys",
      },
    ],
  },
  {
    family: "agent",
    names: "ssh-add",
    valued: "-t -s -e -T -E -h -H",
    rows: [{ id: "delete", options: "-D -d", example: "ssh-add -D", clear: "ssh-add -l" }],
  },
  {
    family: "setting",
    names: "security defaults tmutil update-rc.d chkconfig update-alternatives alternatives modprobe gsettings dconf snapper timeshift",
    rows: [
      {
        id: "delete",
        verbs: "delete|delete-*|remove|disable|reset|reset-recursively",
        example: "defaults delete com.example",
        clear: "defaults read com.example",
      },
      { id: "second", verbs: "* remove|disable|off", example: "update-rc.d nginx remove", clear: "update-rc.d nginx enable" },
      {
        id: "option",
        options: "--del --remove --remove-all -r --delete --delete-all",
        example: "modprobe -r loop",
        clear: "modprobe loop",
      },
    ],
  },
];
