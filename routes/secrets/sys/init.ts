import { invalid } from '../../../state/secrets/refusals.ts'
import {
  checkInitSettings,
  checkUninitialized,
  type InitResult,
  initialize,
  isInitialized,
} from '../../../state/secrets/seal.ts'
import { bare } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { type PgpKey, readPgpKey, readPgpKeys } from '../pgp.ts'

const path = pathsOf('1-secrets-decisions.md section 3, sys/init')

const texts = { type: 'array', items: { type: 'string' } } as const

/** What `POST sys/init` answers. */
interface Initialized {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
  readonly root_token: string
}

/** Whether there is a root key, and making one. */
export const initPaths = [
  path('init', {
    bare: true,
    rootOnly: true,
    read: {
      summary: 'Tell whether the service is initialised.',
      open: true,
      reply: {
        200: {
          type: 'object',
          required: ['initialized'],
          additionalProperties: false,
          properties: { initialized: { type: 'boolean' } },
        },
      },
      run: ({ world }) => bare({ initialized: isInitialized(world) }),
    },
    write: {
      summary: 'Initialise the service: make a root key in shares and a root token.',
      open: true,
      fields: {
        secret_shares: { type: 'integer', description: 'Number of key shares', default: 0 },
        secret_threshold: {
          type: 'integer',
          description: 'Number of shares that unseal',
          default: 0,
        },
        pgp_keys: {
          ...texts,
          description: 'Base64 binary PGP public keys, one for each share, to encrypt the shares',
          default: [],
        },
        root_token_pgp_key: {
          type: 'string',
          description: 'Base64 binary PGP public key to encrypt the root token',
          default: '',
        },
        recovery_shares: {
          type: 'integer',
          description: 'Only for seals that unseal by themselves',
          default: 0,
        },
        recovery_threshold: {
          type: 'integer',
          description: 'Only for seals that unseal by themselves',
          default: 0,
        },
        recovery_pgp_keys: {
          ...texts,
          description: 'Only for seals that unseal by themselves',
          default: [],
        },
        stored_shares: { type: 'integer', description: 'Ignored', default: 0 },
      },
      reply: {
        200: {
          type: 'object',
          required: ['keys', 'keys_base64', 'root_token'],
          additionalProperties: false,
          properties: { keys: texts, keys_base64: texts, root_token: { type: 'string' } },
        },
      },
      async run({ world, fields }) {
        const { secret_shares: shares, secret_threshold: threshold, pgp_keys } = fields
        const { recovery_shares, recovery_threshold, recovery_pgp_keys } = fields
        if (recovery_shares !== 0 || recovery_threshold !== 0 || recovery_pgp_keys.length > 0) {
          throw invalid('parameters specific to auto unseal seals present')
        }
        checkInitSettings({ shares, threshold })
        if (pgp_keys.length > 0 && pgp_keys.length !== shares) {
          throw invalid(
            'invalid seal configuration: count mismatch between number of provided PGP keys and number of shares',
          )
        }
        const shareKeys = await readShareKeys(pgp_keys)
        checkUninitialized(world)
        const tokenKey =
          fields.root_token_pgp_key === '' ? undefined : await readPgpKey(fields.root_token_pgp_key)
        // Everything that can fail has been tried: what follows commits.
        return bare(await handOut(initialize(world, { shares, threshold }), shareKeys, tokenKey))
      },
    },
  }),
]

/** The keys for the shares; what is wrong with one is wrong with the seal configuration. */
async function readShareKeys(texts: readonly string[]): Promise<PgpKey[]> {
  return readPgpKeys(texts).catch((error) => {
    throw error instanceof Error ? invalid(`invalid seal configuration: ${error.message}`) : error
  })
}

/**
 * Shares and root token as they go out: shares in hex and base64 or, with PGP keys, the messages
 * that hold their hex text (1-secrets-decisions.md section 5, PGP).
 */
async function handOut(
  { shares, rootToken }: InitResult,
  shareKeys: readonly PgpKey[],
  tokenKey: PgpKey | undefined,
): Promise<Initialized> {
  const handed = await Promise.all(
    shares.map(async (share, at) => {
      const key = shareKeys[at]
      return Buffer.from(key === undefined ? Buffer.from(share, 'hex') : await key.encrypt(share))
    }),
  )
  return {
    keys: handed.map((bytes) => bytes.toString('hex')),
    keys_base64: handed.map((bytes) => bytes.toString('base64')),
    root_token:
      tokenKey === undefined
        ? rootToken
        : Buffer.from(await tokenKey.encrypt(rootToken)).toString('base64'),
  }
}
