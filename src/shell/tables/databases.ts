import type { VerbProgram } from "./types.ts";

/** Administration tools of databases and queues; SQL itself is judged in ../sql.ts (reference: shell.md §6, "Databases"). */
export const DATABASE_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "mysqladmin",
    names: "mysqladmin mariadb-admin",
    valued: "-h -P -u -S -i -w --host --port --user --socket --defaults-file",
    rows: [
      {
        id: "verb",
        verbs: "drop|shutdown|kill|flush-*|stop-*|refresh",
        example: "mysqladmin -u root drop shop",
        clear: "mysqladmin status",
      },
    ],
  },
  {
    family: "restore",
    names: "pg_restore mongorestore mongoimport mysqlimport neo4j-admin",
    valued: "-d -h -p -U -n -t -j -f -F -I -L -S --dbname --host --port --username --uri --db",
    rows: [
      {
        id: "clean",
        options: "-c --clean --drop --delete --overwrite-destination",
        example: "pg_restore --clean -d shop dump",
        clear: "pg_restore -l dump",
      },
    ],
  },
  {
    family: "queue",
    names:
      "kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-delete-records kafka-delete-records.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh pulsar-admin nsqadmin",
    valued: "--bootstrap-server --topic --group --zookeeper --command-config",
    rows: [
      {
        id: "delete",
        options: "--delete --delete-config --delete-offsets --reset-offsets --remove --offset-json-file",
        example: "kafka-topics --bootstrap-server h:9092 --delete --topic t",
        clear: "kafka-topics --list",
      },
      {
        id: "verb",
        verbs: "* delete|remove|trim-prefix|terminate|unload",
        example: "pulsar-admin topics delete t",
        clear: "pulsar-admin topics list",
      },
    ],
  },
  {
    family: "memcached",
    names: "memcached-tool",
    rows: [
      {
        id: "flush",
        verbs: "* flush|flush_all",
        example: "memcached-tool localhost:11211 flush",
        clear: "memcached-tool localhost:11211 stats",
      },
    ],
  },
  {
    family: "sqlplus",
    names: "sqlplus sqlcl",
    data: true,
    rows: [{ id: "script", operand: /^@/, verdict: "unverifiable", example: "sqlplus u/p @drop.sql", clear: "sqlplus u/p" }],
  },
  {
    family: "nodetool",
    names: "nodetool scylla-nodetool elasticsearch-plugin opensearch-plugin rabbitmq-plugins",
    valued: "-h -p -u -pw",
    rows: [
      {
        id: "verb",
        verbs: "drain|decommission|removenode|clearsnapshot|assassinate|stopdaemon|remove|disable|move",
        example: "nodetool decommission",
        clear: "nodetool status",
      },
    ],
  },
];
