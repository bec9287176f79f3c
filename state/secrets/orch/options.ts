import type { JsonSchema } from '../../kernel/schema.ts'

/** World options about the orchestrator engine and the simulated orchestrator behind it. */
export interface OrchOptions {
  /** The pod's environment: where the orchestrator's API is; empty for a variable that is unset. */
  readonly orchServiceHost: string
  readonly orchServicePort: string
  /** What the pod's files hold: CA certificate and service account token; empty for no file. */
  readonly orchLocalCaCert: string
  readonly orchLocalToken: string
  /** What is wrong with the orchestrator when credentials are asked of it. */
  readonly orchFault: 'none' | 'unreachable' | 'refused' | 'slow'
  /** Service accounts that do not exist, as `<namespace>/<account>`; all others do. */
  readonly orchMissingAccounts: readonly string[]
  /** The shortest token that the orchestrator issues, and the longest; `0s` for no limit. */
  readonly orchMinTtl: string
  readonly orchMaxTtl: string
  /** Labels of the orchestrator's namespaces besides their names, for selectors. */
  readonly orchNamespaceLabels: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whose names tokens and labels carry (1-secrets-decisions.md section 11). */
  readonly orchWords: 'neutral' | 'vendor'
  /** Whether a request without a namespace means the only one that its role allows. */
  readonly orchSoleNamespace: boolean
}

/** Durations without a sign, as Go writes them. */
const duration = { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' } as const

/** The options' schemas. */
export const orchOptionSchemas: Readonly<Record<keyof OrchOptions, JsonSchema>> = {
  orchServiceHost: {
    type: 'string',
    description: "The orchestrator's host in the pod's environment; empty for none",
  },
  orchServicePort: {
    type: 'string',
    description: "The orchestrator's HTTPS port in the pod's environment; empty for none",
  },
  orchLocalCaCert: {
    type: 'string',
    description: "The pod's file with the orchestrator's CA certificate; empty for none",
  },
  orchLocalToken: {
    type: 'string',
    description: "The pod's file with a service account token; empty for none",
  },
  orchFault: {
    enum: ['none', 'unreachable', 'refused', 'slow'],
    description: 'What is wrong with the orchestrator when credentials are asked of it',
  },
  orchMissingAccounts: {
    type: 'array',
    items: { type: 'string', pattern: '^[^/]+/[^/]+$' },
    description: 'Service accounts that do not exist, as namespace/account; all others do',
  },
  orchMinTtl: { ...duration, description: 'The shortest token that the orchestrator issues' },
  orchMaxTtl: {
    ...duration,
    description: 'The longest token that the orchestrator issues; 0s for any',
  },
  orchNamespaceLabels: {
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
    description: "Labels of the orchestrator's namespaces, for selectors of roles",
  },
  orchWords: {
    enum: ['neutral', 'vendor'],
    description: 'Whose names the claims of tokens and the labels of objects carry',
  },
  orchSoleNamespace: {
    type: 'boolean',
    description: 'Take the only namespace of a role where a request names none',
  },
}

/** No pod, no fault, every namespace and account exists (1-secrets-decisions.md section 9). */
export const orchOptionDefaults: OrchOptions = {
  orchServiceHost: '',
  orchServicePort: '',
  orchLocalCaCert: '',
  orchLocalToken: '',
  orchFault: 'none',
  orchMissingAccounts: [],
  orchMinTtl: '0s',
  orchMaxTtl: '0s',
  orchNamespaceLabels: {},
  orchWords: 'neutral',
  orchSoleNamespace: false,
}

/** Names that the orchestrator and the engine put into tokens and labels. */
export interface OrchWords {
  /** The claim about the account; labels have names below it. */
  readonly domain: string
  /** Issuer and default audience of tokens. */
  readonly issuer: string
  /** The type of what templates of names work with, for what they say against a field. */
  readonly nameData: string
  /** Labels of every object that the engine makes; roles cannot change them. */
  readonly labels: Readonly<Record<string, string>>
}

const words: Readonly<Record<OrchOptions['orchWords'], OrchWords>> = {
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

/** The names of a world (1-secrets-decisions.md sections 9 and 11). */
export function wordsOf({ orchWords }: Pick<OrchOptions, 'orchWords'>): OrchWords {
  return words[orchWords]
}
