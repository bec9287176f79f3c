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
import {
  type AccountToken,
  type AccountTokenRequest,
  issueAccountToken,
} from '../../../state/secrets/orch/account-tokens.ts'
import { policyRuleShape } from '../../../state/secrets/orch/role-rules.ts'
import { type OrchPublicKey, publicKeys } from '../../../state/secrets/orch/tokens.ts'
import { type OrchestratorView, orchestratorView } from '../../../state/secrets/orch/view.ts'
import { ControlPart, partCalls } from '../../http/declare/control-call.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

const objectMembers = {
  namespace: described(nullable(text), 'Null for cluster-wide objects'),
  name: text,
  uid: text,
  labels: map(text),
  annotations: map(text),
  createdAt: instant,
  lease: described(text, 'Id of the lease whose end deletes it'),
}

const roleShape = struct({ ...objectMembers, rules: list(policyRuleShape) })

const bindingShape = struct({
  ...objectMembers,
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

const orchestratorShape = struct({
  engines: described(
    list(engineShape),
    'Configured engines and their connections to the orchestrator',
  ),
  serviceAccounts: described(list(struct(objectMembers)), 'Service accounts that engines created'),
  roles: described(list(roleShape), 'Roles that engines created'),
  clusterRoles: described(list(roleShape), 'Cluster roles that engines created'),
  roleBindings: described(list(bindingShape), 'Role bindings that engines created'),
  clusterRoleBindings: described(list(bindingShape), 'Cluster role bindings that engines created'),
})

/** JSON Web Key Set of RSA keys (RFC 7517). */
const keySetShape = struct({
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

const accountTokenRequestShape = struct({
  namespace: described(name, "The account's namespace in the orchestrator"),
  service_account: described(name, 'Name of the account, which need not exist'),
  audiences: optional(
    described(list(text), "Audiences of the token; the orchestrator's own audience if left out"),
  ),
  ttl: optional(described(union(text, int), 'Go duration or seconds; `1h` if left out')),
})

const accountTokenShape = struct({
  token: described(text, 'The JWT'),
  uid: described(text, 'Id of the account, equal for all of its tokens'),
  expires_at: instant,
})

/** The simulated orchestrator, which the engine and the login method `orch` use. */
export class OrchestratorControl extends ControlPart {
  /** Returns the configured engines and the objects that they have created and not deleted. */
  view(): OrchestratorView {
    return orchestratorView(this.world)
  }

  /** Returns the key set that verifies service account tokens; empty before the first token. */
  keys(): { readonly keys: readonly OrchPublicKey[] } {
    return { keys: publicKeys(this.world) }
  }

  /**
   * Returns a signed JWT of a service account, for logins with the method `orch`
   * (behaviour/secrets#orch-login-review). The JWT is like the one in the token file of a pod. The
   * JWT is dated by the world's clock.
   *
   * @throws {InputError} for a malformed request
   * @throws Refusal `invalid` for a TTL that is unreadable or not positive, `absent` for an account
   *   in an invalid namespace or in the option `orchMissingAccounts`
   */
  token(request: AccountTokenRequest): AccountToken {
    this.check(accountTokenRequestShape, request)
    return issueAccountToken(this.world, request)
  }
}

const call = partCalls(OrchestratorControl)

export const orchestratorCalls = [
  call({
    id: 'getOrchestrator',
    route: 'GET /secrets/orchestrator',
    summary:
      'List the objects that the orchestrator engines of the secrets API have created and not deleted.',
    reply: orchestratorShape,
    run: (orchestrator) => orchestrator.view(),
  }),
  call({
    id: 'getOrchestratorKeys',
    route: 'GET /secrets/orchestrator/keys',
    summary: "Return the key set (JWKS) that verifies the orchestrator's service account tokens.",
    reply: keySetShape,
    run: (orchestrator) => orchestrator.keys(),
  }),
  call({
    id: 'signAccountToken',
    route: 'POST /secrets/orchestrator/tokens',
    summary: 'Create the JWT of a service account, with which it logs in to the secrets API.',
    body: accountTokenRequestShape,
    reply: accountTokenShape,
    status: 201,
    run: (orchestrator, { body }) => orchestrator.token(body),
  }),
]
