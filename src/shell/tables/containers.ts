import type { VerbProgram } from "./types.ts";

/** Options with values of docker, podman and nerdctl themselves. */
export const CONTAINER_VALUED =
  "-H --host -c --context -l --log-level --config --tlscacert --tlscert --tlskey --connection --url --root --runroot --namespace --address";

/** Options with values of compose itself. */
export const COMPOSE_VALUED = "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress";

/** Options with values of `exec`. */
export const EXEC_VALUED = "-e --env --env-file -u --user -w --workdir --detach-keys --index";

/** Options with values of `run` and `create`. */
export const RUN_VALUED =
  "-e --env --env-file -v --volume -p --publish -u --user -w --workdir -l --label -m --memory -h --hostname -c --cpu-shares --name --network --net " +
  "--entrypoint --mount --platform --add-host --annotation --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile --cpus --cpu-period " +
  "--cpu-quota --cpuset-cpus --cpuset-mems --device --device-cgroup-rule --device-read-bps --device-write-bps --dns --dns-option --dns-search --domainname " +
  "--expose --gpus --group-add --health-cmd --health-interval --health-retries --health-timeout --ip --ip6 --ipc --isolation --label-file --link " +
  "--link-local-ip --log-driver --log-opt --mac-address --memory-reservation --memory-swap --memory-swappiness --network-alias --oom-score-adj --pid " +
  "--pids-limit --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --userns --uts " +
  "--volume-driver --volumes-from --pod --arch --os --secret --tz --umask";

const GROUPS =
  "container|image|volume|network|system|builder|buildx|context|plugin|secret|config|service|stack|node|swarm|manifest|pod|machine|checkpoint|kube|model|mcp";

/** docker and its kin (reference: shell.md §6, "Containers"); what they start is judged in ../containers.ts. */
export const CONTAINER_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "container",
    names: "docker podman nerdctl finch",
    valued: CONTAINER_VALUED,
    after: { compose: COMPOSE_VALUED, exec: EXEC_VALUED, "run|create": RUN_VALUED, "*": "--filter" },
    rows: [
      { id: "remove", verbs: "rm|rmi", example: "docker -H tcp://10.0.0.5:2375 rmi app:1", clear: "docker run --rm alpine true" },
      { id: "kill", verbs: "kill", example: "podman kill web", clear: "docker logs kill" },
      { id: "stop", verbs: "stop", choice: "container_stop", example: "docker stop web", clear: "docker start web" },
      {
        id: "group-remove",
        verbs: `${GROUPS} rm|remove|rmi|prune|kill|leave|down|reset|destroy|delete`,
        example: "docker volume prune -f",
        clear: "docker volume ls",
      },
      {
        id: "group-stop",
        verbs: `${GROUPS} stop`,
        choice: "container_stop",
        example: "docker container stop web",
        clear: "docker container ls",
      },
      {
        id: "scale-zero",
        verbs: "service scale",
        operand: /=0$/,
        example: "docker service scale web=0",
        clear: "docker service scale web=3",
      },
      {
        id: "compose-volumes",
        verbs: "compose down",
        options: "-v --volumes --rmi",
        example: "docker compose -f prod.yml down -v",
        clear: "docker compose -f prod.yml config",
      },
      { id: "compose-down", verbs: "compose down", choice: "compose_down", example: "docker compose down" },
      { id: "compose-remove", verbs: "compose rm|kill", example: "docker compose rm -fs web", clear: "docker compose ps" },
      { id: "pod-stop", verbs: "kube down", example: "podman kube down pod.yml", clear: "podman kube play pod.yml" },
    ],
  },
  {
    family: "compose",
    names: "docker-compose podman-compose",
    valued: COMPOSE_VALUED,
    after: { exec: EXEC_VALUED, run: RUN_VALUED, "*": "" },
    rows: [
      {
        id: "volumes",
        verbs: "down",
        options: "-v --volumes --rmi",
        example: "docker-compose down --volumes",
        clear: "docker-compose logs -f",
      },
      { id: "down", verbs: "down", choice: "compose_down", example: "docker-compose down" },
      { id: "remove", verbs: "rm|kill", example: "docker-compose rm -f", clear: "docker-compose ps" },
    ],
  },
  {
    family: "container-tool",
    names: "buildah crictl ctr skopeo lxc incus multipass machinectl toolbox distrobox",
    valued: "-r --runtime-endpoint -n --namespace -a --address --project",
    rows: [
      { id: "remove", verbs: "rm|rmi|rmp|delete|remove|prune|purge|destroy", example: "crictl rmi app:1", clear: "crictl images" },
      { id: "stop", verbs: "stop|stopp|kill|terminate|poweroff", example: "lxc stop web", clear: "lxc list" },
      {
        id: "group-remove",
        verbs: "* rm|remove|delete|prune|kill",
        example: "ctr images rm app:1",
        clear: "ctr images ls",
      },
    ],
  },
];
