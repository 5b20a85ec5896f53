import type { VerbProgram } from "./types.ts";

/** Options with values that kubectl takes before or after its verb. */
export const KUBECTL_VALUED =
  "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --as-uid --certificate-authority --client-certificate " +
  "--client-key --request-timeout --cache-dir --tls-server-name -v --v -o --output -l --selector --field-selector -f --filename -k --kustomize";

/** kubectl, helm and other cluster tools (reference: shell.md §6, "kubectl/oc/k", "helm"). */
export const KUBERNETES_PROGRAMS: readonly VerbProgram[] = [
  {
    family: "kubectl",
    names: "kubectl oc k kubecolor k3s-kubectl microk8s.kubectl",
    valued: KUBECTL_VALUED,
    after: { "*": `${KUBECTL_VALUED} --replicas -c --container --image --grace-period --timeout -p --patch` },
    dryRun: "--dry-run",
    rows: [
      { id: "delete", verbs: "delete", example: "kubectl -n shop delete -f app.yaml", clear: "kubectl delete pod web-0 --dry-run=client" },
      { id: "drain", verbs: "drain|evict", example: "kubectl drain node-a", clear: "kubectl describe node drain" },
      {
        id: "scale-zero",
        verbs: "scale",
        options: "--replicas",
        value: /^0+$/,
        example: "kubectl scale deploy/web --replicas 0",
        clear: "kubectl scale deploy/web --replicas=3",
      },
      {
        id: "replace-force",
        verbs: "replace",
        options: "--force",
        example: "kubectl replace --force -f app.yaml",
        clear: "kubectl replace -f app.yaml",
      },
      {
        id: "taint",
        verbs: "taint",
        operand: /:NoExecute$/i,
        example: "kubectl taint nodes a k=v:NoExecute",
        clear: "kubectl taint nodes a k=v:NoSchedule",
      },
      {
        id: "apply-prune",
        verbs: "apply",
        options: "--prune --force",
        example: "kubectl apply --prune -f .",
        clear: "kubectl apply -f app.yaml",
      },
      { id: "config-delete", verbs: "config delete-*", example: "kubectl config delete-context old", clear: "kubectl config get-contexts" },
      { id: "admin", verbs: "adm drain|prune|evict", example: "oc adm drain node-a", clear: "oc adm top nodes" },
    ],
  },
  {
    family: "helm",
    names: "helm helm3",
    valued: "-n --namespace --kube-context --kubeconfig --registry-config --repository-config",
    after: {
      "*":
        "-n --namespace --kube-context --kubeconfig -f --values --set --set-string --set-file --set-json --set-literal --version --description " +
        "--timeout --history-max --repo --post-renderer -o --output",
    },
    dryRun: "--dry-run",
    rows: [
      { id: "uninstall", verbs: "uninstall|delete|del|un", example: "helm -n shop uninstall web", clear: "helm install charm ./chart" },
      { id: "rollback", verbs: "rollback", example: "helm rollback web 1", clear: "helm history web" },
      {
        id: "renderer",
        options: "--post-renderer",
        verdict: "unverifiable",
        example: "helm template web ./chart --post-renderer ./x",
        clear: "helm template web ./chart",
      },
      { id: "group", verbs: "plugin|repo uninstall|remove|rm", example: "helm plugin uninstall diff", clear: "helm plugin list" },
    ],
  },
  {
    family: "cluster",
    names:
      "argocd flux velero istioctl linkerd cilium eksctl kops kind minikube k3d k0s kubeadm helmfile kustomize skaffold tilt devspace k9s talosctl kubectl-argo-rollouts rancher",
    rows: [
      {
        id: "plugin",
        options: "--enable-exec --helm-command",
        verdict: "unverifiable",
        example: "kustomize build --enable-alpha-plugins --enable-exec .",
        clear: "kustomize build .",
      },
      { id: "kubeadm-reset", verbs: "reset", example: "kubeadm reset -f", clear: "kubeadm config images list" },
      { id: "stop", verbs: "stop", example: "minikube stop", clear: "minikube status" },
    ],
    anywhere: {
      verbs: "delete destroy uninstall remove purge terminate prune drain",
      example: "argocd app delete shop",
      clear: "argocd app get delete-me",
    },
  },
];
