import type { OptionsDefinition } from '../kernel/options.ts'
import type { World } from '../kernel/world.ts'

/** World options of the secrets service (DESIGN section 6). */
export interface SecretsOptions {
  /** The root token of a fresh world. */
  readonly rootToken: string
  /** Whether a fresh world is initialised. */
  readonly initialized: boolean
  /** Whether a fresh, initialised world is sealed. */
  readonly sealed: boolean
  /** Key shares of a fresh world, and how many of them unseal it. */
  readonly secretShares: number
  readonly secretThreshold: number
  readonly edition: 'enterprise' | 'community'
  /** As health and seal status report it. */
  readonly version: string
  readonly clusterName: string
  /** The version of the key-value engine that a fresh world has at `secret/`. */
  readonly kvVersion: 1 | 2
  /** What service and batch tokens begin with. */
  readonly serviceTokenPrefix: string
  readonly batchTokenPrefix: string
  /** Refuse requests without `X-Secrets-Request: true`. */
  readonly require_request_header: boolean
}

/** The options with their defaults, as fixtures and the control plane set them. */
export const secretsOptions: OptionsDefinition<SecretsOptions> = {
  service: 'secrets',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      rootToken: { type: 'string', minLength: 1, description: 'The root token of a fresh world' },
      initialized: { type: 'boolean', description: 'Whether a fresh world is initialised' },
      sealed: { type: 'boolean', description: 'Whether a fresh world is sealed' },
      secretShares: { type: 'integer', minimum: 1, maximum: 255, description: 'Key shares made' },
      secretThreshold: {
        type: 'integer',
        minimum: 1,
        maximum: 255,
        description: 'Key shares that unseal',
      },
      edition: { enum: ['enterprise', 'community'], description: 'Which edition is played' },
      version: { type: 'string', description: 'The version that health reports' },
      clusterName: { type: 'string', description: 'The cluster name that health reports' },
      kvVersion: { enum: [1, 2], description: 'Version of the key-value engine at secret/' },
      serviceTokenPrefix: { type: 'string', description: 'What service tokens begin with' },
      batchTokenPrefix: { type: 'string', description: 'What batch tokens begin with' },
      require_request_header: {
        type: 'boolean',
        description: 'Refuse requests without X-Secrets-Request: true',
      },
    },
  },
  defaults: {
    rootToken: 'root',
    initialized: true,
    sealed: false,
    secretShares: 5,
    secretThreshold: 3,
    edition: 'enterprise',
    version: '1.14.0+ent',
    clusterName: 'understudy-cluster',
    kvVersion: 2,
    serviceTokenPrefix: 's.',
    batchTokenPrefix: 'b.',
    require_request_header: false,
  },
}

/** The options of a world's secrets service. */
export function optionsOf(world: World): SecretsOptions {
  return world.options(secretsOptions)
}
