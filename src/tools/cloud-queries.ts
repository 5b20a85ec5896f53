/** One query: the provider's own program with fixed arguments; its output is JSON. */
export interface CloudQuery {
  /** Program and arguments; nothing is ever added to them. */
  readonly argv: readonly [string, ...string[]];
}

/** Queries by namespace and function; maps, so that no name has a meaning of its own. */
export type CloudQueries = ReadonlyMap<string, ReadonlyMap<string, CloudQuery>>;

/** Where a provider's program keeps its credentials, below the home directory. */
export const CREDENTIAL_FOLDERS: ReadonlyMap<string, string> = new Map([
  ["aws", ".aws"],
  ["gcloud", ".config/gcloud"],
  ["az", ".azure"],
  ["oci", ".oci"],
  ["kubectl", ".kube"],
]);

const AWS = (...words: readonly string[]): CloudQuery => ({ argv: ["aws", ...words, "--output", "json", "--no-cli-pager"] });
const GCLOUD = (...words: readonly string[]): CloudQuery => ({ argv: ["gcloud", ...words, "--format=json", "--quiet"] });
const AZ = (...words: readonly string[]): CloudQuery => ({ argv: ["az", ...words, "--output", "json", "--only-show-errors"] });
const OCI = (...words: readonly string[]): CloudQuery => ({ argv: ["oci", ...words, "--output", "json"] });
const KUBECTL = (...words: readonly string[]): CloudQuery => ({ argv: ["kubectl", ...words, "--output", "json", "--request-timeout=30s"] });

/** The shipped queries: each only reads, and none shows a secret. */
export const CLOUD_QUERIES: CloudQueries = new Map(
  Object.entries({
    aws: {
      identity: AWS("sts", "get-caller-identity"),
      regions: AWS("ec2", "describe-regions"),
      instances: AWS("ec2", "describe-instances"),
      networks: AWS("ec2", "describe-vpcs"),
      clusters: AWS("eks", "list-clusters"),
      buckets: AWS("s3api", "list-buckets"),
      databases: AWS("rds", "describe-db-instances"),
    },
    gcp: {
      identity: GCLOUD("auth", "list"),
      projects: GCLOUD("projects", "list"),
      regions: GCLOUD("compute", "regions", "list"),
      instances: GCLOUD("compute", "instances", "list"),
      networks: GCLOUD("compute", "networks", "list"),
      clusters: GCLOUD("container", "clusters", "list"),
      buckets: GCLOUD("storage", "buckets", "list"),
    },
    azure: {
      identity: AZ("account", "show"),
      subscriptions: AZ("account", "list"),
      regions: AZ("account", "list-locations"),
      instances: AZ("vm", "list"),
      networks: AZ("network", "vnet", "list"),
      clusters: AZ("aks", "list"),
      buckets: AZ("storage", "account", "list"),
    },
    oci: {
      identity: OCI("iam", "user", "list"),
      regions: OCI("iam", "region", "list"),
      compartments: OCI("iam", "compartment", "list"),
      instances: OCI("search", "resource", "structured-search", "--query-text", "query instance resources"),
      buckets: OCI("search", "resource", "structured-search", "--query-text", "query bucket resources"),
    },
    k8s: {
      identity: KUBECTL("auth", "whoami"),
      clusters: KUBECTL("config", "view", "--minify"),
      nodes: KUBECTL("get", "nodes"),
      namespaces: KUBECTL("get", "namespaces"),
      deployments: KUBECTL("get", "deployments", "--all-namespaces"),
      services: KUBECTL("get", "services", "--all-namespaces"),
    },
  }).map(([namespace, queries]) => [namespace, new Map(Object.entries(queries))]),
);

/** The shipped queries and those of an operator, which count where both have one of a name. */
export function withQueries(more: CloudQueries): CloudQueries {
  const all = new Map([...CLOUD_QUERIES].map(([namespace, queries]) => [namespace, new Map(queries)]));
  for (const [namespace, queries] of more) all.set(namespace, new Map([...(all.get(namespace) ?? []), ...queries]));
  return all;
}
