import { option } from '../../kernel/options/options.ts'
import { bool, list, map, text, textOf, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

/** A duration in Go's syntax, without a sign. */
export const goDuration = textOf({ pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h)){1,16}$' })

/** World options of the orchestrator engine and of the simulated orchestrator. */
export const orchOptions = {
  orchServiceHost: option(
    text,
    '',
    "The orchestrator's host in the pod's environment; empty for none",
  ),
  orchServicePort: option(
    text,
    '',
    "The orchestrator's HTTPS port in the pod's environment; empty for none",
  ),
  orchLocalCaCert: option(
    text,
    '',
    "The pod's file with the orchestrator's CA certificate; empty for none",
  ),
  orchLocalToken: option(text, '', "The pod's file with a service account token; empty for none"),
  orchFault: option(
    word('none', 'unreachable', 'refused', 'slow'),
    'none',
    'Failure of the orchestrator when credentials are requested',
  ),
  orchReview: option(
    word('on', 'off'),
    'on',
    'Whether the orchestrator reviews JWTs of service accounts at logins; off: only the configured keys count',
  ),
  orchMissingAccounts: option(
    list(textOf({ pattern: '^[^/]+/[^/]+$' })),
    [],
    'Service accounts that do not exist, as namespace/account; all others do',
  ),
  orchMinTtl: option(goDuration, '0s', "Minimum lifetime of the orchestrator's tokens"),
  orchMaxTtl: option(
    goDuration,
    '0s',
    "Maximum lifetime of the orchestrator's tokens; 0s: unlimited",
  ),
  orchNamespaceLabels: option(
    map(map(text)),
    {},
    "Labels of the orchestrator's namespaces, for selectors of roles",
  ),
  /** Dialect of the names in tokens and labels (behaviour/secrets#vendor-names). */
  orchWords: option(
    word('neutral', 'vendor'),
    'neutral',
    "Names in the claims of tokens and the labels of objects: neutral or the vendor's",
  ),
  orchSoleNamespace: option(
    bool,
    false,
    'Use the only namespace of a role if a request names none',
  ),
} as const

const shape = struct(orchOptions)
interface OrchOptions extends StoredOf<typeof shape> {}

/** Names that the orchestrator and the engine put into tokens and labels, in one dialect. */
interface OrchNames {
  /** Claim that describes the account, and prefix of label names. */
  readonly domain: string
  /** Issuer of tokens, and their default audience. */
  readonly issuer: string
  /** Go type of the data of name templates, which error messages about unknown fields contain. */
  readonly nameData: string
  /** Labels that every object of the engine has. Roles cannot override them. */
  readonly labels: Readonly<Record<string, string>>
}

const namesByDialect: Readonly<Record<OrchOptions['orchWords'], OrchNames>> = {
  neutral: {
    domain: 'orch.io',
    issuer: 'https://orch.default.svc.cluster.local',
    nameData: 'orch.nameMetadata',
    labels: {
      'app.orch.io/managed-by': 'Secrets-Service',
      'app.orch.io/created-by': 'secrets-engine-orch',
    },
  },
  vendor: {
    domain: 'kubernetes.io',
    issuer: 'https://kubernetes.default.svc.cluster.local',
    nameData: 'kubesecrets.nameMetadata',
    labels: {
      'app.kubernetes.io/managed-by': 'HashiCorp-Vault',
      'app.kubernetes.io/created-by': 'vault-plugin-secrets-kubernetes',
    },
  },
}

/** Returns the names in the dialect of the option `orchWords` (behaviour/secrets#vendor-names). */
export function namesOfDialect({ orchWords }: Pick<OrchOptions, 'orchWords'>): OrchNames {
  return namesByDialect[orchWords]
}
