import type { OptionsDefinition } from '../kernel/options.ts'
import type { World } from '../kernel/world.ts'
import { type OrchOptions, orchOptionDefaults, orchOptionSchemas } from './orch/options.ts'

/** World options of the secrets service (DESIGN section 6). */
export interface SecretsOptions extends OrchOptions {
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
  /** Whether key shares unseal, or the node unseals itself and has recovery shares. */
  readonly seal: 'shamir' | 'stored'
  /** Whether `sys/rekey/init`, `update` and `verify` answer without a client token. */
  readonly rekeyWithoutToken: boolean
  /** The version of the key-value engine that a fresh world has at `secret/`. */
  readonly kvVersion: 1 | 2
  /** Where a fresh world has the orchestrator engine and the cloud method; with a closing slash. */
  readonly orchPath: string
  readonly cloudPath: string
  /** What the ids of a fresh world's cloud identities look like: plain names or the vendor's. */
  readonly cloudIds: 'plain' | 'ocid'
  /** What service and batch tokens begin with. */
  readonly serviceTokenPrefix: string
  readonly batchTokenPrefix: string
  /** Refuse requests without `X-Secrets-Request: true`. */
  readonly require_request_header: boolean
  /** Requests that are answered in each second of the world's clock; 0 for any number. */
  readonly rateLimit: number
  /** Send `X-Secrets-Index` with replies to writes and hold requests to it (enterprise edition). */
  readonly indexHeaders: boolean
  /** How long the service is away after a change of its part in replication: a duration. */
  readonly replicationPause: string
  /** How long a primary may leave a secondary without a word: a duration of real time. */
  readonly replicationTimeout: string
}

/** Durations without a sign, as Go writes them. */
const durationForm = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$'

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
      seal: {
        enum: ['shamir', 'stored'],
        description:
          'Whether key shares unseal, or the node unseals itself and its shares are recovery shares',
      },
      rekeyWithoutToken: { type: 'boolean', description: 'Rekey without a client token' },
      kvVersion: { enum: [1, 2], description: 'Version of the key-value engine at secret/' },
      orchPath: { type: 'string', pattern: '^.+/$', description: 'Where the orch engine is' },
      cloudPath: {
        type: 'string',
        pattern: '^auth/.+/$',
        description: 'Where the cloud login method is',
      },
      cloudIds: {
        enum: ['plain', 'ocid'],
        description: 'What the ids of the cloud identities of a fresh world look like',
      },
      serviceTokenPrefix: { type: 'string', description: 'What service tokens begin with' },
      batchTokenPrefix: { type: 'string', description: 'What batch tokens begin with' },
      require_request_header: {
        type: 'boolean',
        description: 'Refuse requests without X-Secrets-Request: true',
      },
      rateLimit: {
        type: 'integer',
        minimum: 0,
        description: 'Requests a second, above which 429 is answered; 0 for any number',
      },
      indexHeaders: {
        type: 'boolean',
        description: 'Send X-Secrets-Index after writes and answer 412 when behind it (enterprise)',
      },
      replicationPause: {
        type: 'string',
        pattern: durationForm,
        description: 'How long the service is away after each change of its replication mode',
      },
      replicationTimeout: {
        type: 'string',
        pattern: durationForm,
        description: 'How long a DR secondary waits, in real time, for a word of its primary',
      },
      ...orchOptionSchemas,
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
    seal: 'shamir',
    rekeyWithoutToken: false,
    kvVersion: 2,
    orchPath: 'orch/',
    cloudPath: 'auth/cloud/',
    cloudIds: 'plain',
    serviceTokenPrefix: 's.',
    batchTokenPrefix: 'b.',
    require_request_header: false,
    rateLimit: 0,
    indexHeaders: false,
    replicationPause: '0s',
    replicationTimeout: '10s',
    ...orchOptionDefaults,
  },
}

/** The options of a world's secrets service. */
export function optionsOf(world: World): SecretsOptions {
  return world.options(secretsOptions)
}
