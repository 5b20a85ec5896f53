/** Programs whose purpose is to destroy or to stop; any call is destructive (reference: shell.md §6, "Destroying programs"). */
export const DESTROYING_PROGRAMS = [
  // The seed's fragments as command words.
  "rm delete destroy terminate",
  "rmdir unlink shred truncate srm wipe wipefs scrub nwipe sfill sswap safe-rm grm grmdir gshred gtruncate gunlink del erase deltree mdel mdeltree rmtrash",
  "mke2fs mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.minix mkfs.exfat mkfs.msdos mkntfs mkdosfs mkswap newfs",
  "lvremove vgremove pvremove lvreduce vgreduce userdel groupdel deluser delgroup dropdb dropuser pg_dropcluster pg_resetwal",
  "reboot shutdown halt poweroff rimraf del-cli trash trash-put trash-empty trash-rm trash-cli rm-cli",
  "killall5 xkill setfacl ipcrm bfg tmpreaper tmpwatch bleachbit cloud-nuke aws-nuke git-filter-repo",
  "rmmod blkdiscard cgdisk postsuper mailq-purge lprm fuser-kill systemd-repart ifdown xbps-remove pkg_delete pkgrm removepkg",
];

/** Programs that replace what is at their target; the finding is `overwrite.program`. */
export const OVERWRITING_PROGRAMS = ["mv gmv sponge rename rename.ul prename file-rename perl-rename mogrify mmv qmv vidir"];
