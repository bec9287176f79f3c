import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import type { ComparedApi } from './compared-api.ts'
import { knownDifferences } from './known-differences.ts'
import { type Answer, memberOf, rootRequest, type Target } from './request.ts'
import { secretsSequences, secretsSetUpAndCleanUp } from './secrets-requests.ts'

/** Members that are generated, or that describe the server and not the API. */
const generatedMembers = new Set([
  'request_id',
  'accessor',
  'client_token',
  'wrapped_accessor',
  'uuid',
  'nonce',
  'otp',
  'migration_id',
  'version_label',
  'cluster_id',
  'cluster_name',
  'server_time_utc',
  'build_date',
  'running_plugin_version',
  'last_wal',
  'mount_type',
])

/** Root token in a form that the normalization replaces. */
const rootToken = 's.understudysOwnRootTokenForIt'

/** Creates the token of a comparison. Revoking this token also revokes its children. */
async function createToken(target: Target): Promise<Answer> {
  // A renewable token would appear in replies to renewals, and later requests could then revoke it.
  const kind = { policies: ['root'], ttl: '24h', renewable: false }
  const body = { ...kind, display_name: 'understudy-compare' }
  return await target.send({
    ...rootRequest('POST', 'auth/token/create', body),
    token: target.token,
  })
}

/** Revokes the tokens that a sequence created. Tokens without a parent would otherwise remain. */
async function revokeIssuedTokens(target: Target, answers: readonly Answer[]): Promise<void> {
  for (const { body } of answers) {
    const token = memberOf(memberOf(body, 'auth'), 'client_token')
    if (typeof token !== 'string' || token === '' || token === target.token) continue
    await target.send({
      ...rootRequest('POST', 'auth/token/revoke', { token }),
      token: target.token,
    })
  }
}

/** Returns the settings of a comparison of the secrets API. */
export function comparedSecrets(dialect: DialectName): ComparedApi {
  return {
    name: 'secrets',
    tokenHeader: dialect === 'vendor' ? 'x-vault-token' : 'x-secrets-token',
    wrapTtlHeader: dialect === 'vendor' ? 'x-vault-wrap-ttl' : 'x-secrets-wrap-ttl',
    token: rootToken,
    setUp: { options: { secrets: { start: 'bare', rootToken } } },
    variables: [
      { name: '$token', memberPath: ['auth', 'client_token'] },
      { name: '$accessor', memberPath: ['auth', 'accessor'] },
      { name: '$wrapped', memberPath: ['wrap_info', 'token'] },
      { name: '$nonce', memberPath: ['nonce'] },
      { name: '$migration', memberPath: ['data', 'migration_id'] },
      { name: '$lease', operationPattern: /^listLeases/, memberPath: ['data', 'keys', '0'] },
    ],
    // A member with a time can be a number, but the patterns in `replacements` match only texts.
    placeholderFor: (name, value) =>
      generatedMembers.has(name) || (typeof value === 'number' && /(?:_time|_renewal)$/.test(name))
        ? `<${name}>`
        : undefined,
    replacements: [
      [/\b(?:hv[sb]|[sb])\.[\w-]{24,}/g, '<token>'],
      [/\bh[0-9a-f]{64}\b/g, '<lease>'],
      // OpenBao, the open fork, uses its own name in messages.
      [/\bOpenBao\b/g, 'Vault'],
    ],
    sequences: (longest) => secretsSequences(longest, dialect),
    ...secretsSetUpAndCleanUp(dialect),
    comparisonToken: {
      create: createToken,
      tokenPath: ['auth', 'client_token'],
      revocation: (token) => rootRequest('POST', 'auth/token/revoke', { token }),
    },
    cleanUp: revokeIssuedTokens,
    known: knownDifferences('secrets'),
  }
}
