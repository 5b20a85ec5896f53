import type { VerbProgram } from "./types.ts";

/** Stores of objects and backups (reference: shell.md §6, "Cloud"). */
export const STORAGE_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "storage",
    names: "gsutil rclone mc s3cmd s4cmd s5cmd b2 azcopy restic borg kopia duplicity tarsnap duplicacy",
    valued: "-o -h -u -i --config -r --repo --repository-file -p --password-file --cache-dir --endpoint-url",
    after: { rsync: "-o -h -u -i -x" },
    rows: [
      {
        id: "remove",
        verbs: "deletefile|rmdir|rmdirs|cleanup|dedupe|move|moveto|sync|mv|rewrite|recreate|break-lock|del|expunge",
        example: "rclone sync src remote:bucket",
        clear: "rclone copy src remote:bucket",
      },
      {
        id: "rsync-delete",
        verbs: "rsync",
        options: "-d",
        example: "gsutil -m rsync -r -d src gs://bucket",
        clear: "gsutil rsync src gs://bucket",
      },
      {
        id: "mirror-remove",
        options: "--remove --delete --delete-destination --delete-removed",
        example: "mc mirror --remove src s3/bucket",
        clear: "mc mirror src s3/bucket",
      },
    ],
    anywhere: {
      verbs: "delete destroy terminate remove rm rb purge deallocate revoke disable uninstall forget prune drop compact",
      example: "gsutil -m rm -r gs://bucket/path",
      clear: "rclone ls remote:delete",
    },
  },
  {
    family: "tarsnap",
    names: "tarsnap",
    valued: "-f -C -X -I --keyfile --cachedir --include --exclude",
    rows: [{ id: "delete", options: "-d --nuke", example: "tarsnap -d -f daily", clear: "tarsnap -c -f daily data" }],
  },
  {
    family: "hdfs",
    names: "hdfs hadoop",
    single: true,
    rows: [
      {
        id: "remove",
        options: "-rm -rmr -rmdir -expunge -mv -moveFromLocal",
        example: "hdfs dfs -rm -r /data",
        clear: "hdfs dfs -ls /data",
      },
      { id: "format", verbs: "namenode", options: "-format", example: "hdfs namenode -format", clear: "hdfs dfsadmin -report" },
    ],
  },
];
