import {
  constant,
  int,
  list,
  map,
  name,
  nullable,
  text,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { policyRuleShape } from '../../../state/secrets/orch/role-rules.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

const object = {
  namespace: described(nullable(text), 'Null for objects of the whole cluster'),
  name: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  createdAt: instant,
  lease: described(text, 'Id of the lease whose end deletes it'),
}

const roleShape = struct({ ...object, rules: list(policyRuleShape) })

const bindingShape = struct({
  ...object,
  roleRef: struct({ kind: word('Role', 'ClusterRole'), name: text }),
  subjects: list(struct({ kind: constant('ServiceAccount'), name: text, namespace: text })),
})

const engineShape = struct({
  namespace: described(text, 'Namespace of the secrets API; empty for the root namespace'),
  mount: text,
  host: described(nullable(text), 'URL of the API; null if none is configured'),
  ca: described(
    word('config', 'pod', 'system'),
    'Source of the CA certificates: configuration, pod or root set of the host',
  ),
  token: described(word('config', 'pod', 'none'), "Source of the engine's own token"),
})

/** Simulated orchestrator. */
export const orchestratorShape = struct({
  engines: described(
    list(engineShape),
    'Configured engines and their connections to the orchestrator',
  ),
  serviceAccounts: described(list(struct(object)), 'Service accounts that engines created'),
  roles: described(list(roleShape), 'Roles that engines created'),
  clusterRoles: described(list(roleShape), 'Cluster roles that engines created'),
  roleBindings: described(list(bindingShape), 'Role bindings that engines created'),
  clusterRoleBindings: described(list(bindingShape), 'Cluster role bindings that engines created'),
})

/** JSON Web Key Set of RSA keys (RFC 7517). */
export const keySetShape = struct({
  keys: list(
    struct({
      kty: constant('RSA'),
      n: text,
      e: text,
      alg: constant('RS256'),
      use: constant('sig'),
      kid: described(text, 'Key id in the header of tokens'),
    }),
  ),
})

/** Request for the JWT of a service account. */
export const accountTokenRequestShape = struct({
  namespace: described(name, "The account's namespace in the orchestrator"),
  service_account: described(name, 'Name of the account, which need not exist'),
  audiences: optional(described(list(text), "Default: the orchestrator's own")),
  ttl: optional(described(union(text, int), 'A Go duration or seconds; default: `1h`')),
})

/** JWT of a service account. */
export const accountTokenShape = struct({
  token: described(text, 'The JWT'),
  uid: described(text, 'Id of the account, equal for all of its tokens'),
  expires_at: instant,
})
