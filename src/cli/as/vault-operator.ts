import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import { flagOf, type ParsedArguments, type ProductClient } from './product-call.ts'

/** Default numbers of key shares, and of those that unseal. */
const defaultShares = { shares: 5, threshold: 3 }

/**
 * Initializes the server (behaviour/program#drop-in). Returns the key shares and the root token, as
 * text or with `-format=json`.
 */
export async function initialize(server: ProductClient, call: ParsedArguments): Promise<string> {
  const shares = Number(flagOf(call, 'key-shares') ?? flagOf(call, 'n') ?? defaultShares.shares)
  const threshold = Number(
    flagOf(call, 'key-threshold') ?? flagOf(call, 't') ?? defaultShares.threshold,
  )
  const body = { secret_shares: shares, secret_threshold: threshold }
  const { value } = await server.send('PUT', 'sys/init', body)
  const keys = itemsOf(memberOf(value, 'keys_base64'))
  const token = textAt(value, 'root_token')
  if (flagOf(call, 'format') === 'json') {
    const made = {
      unseal_keys_b64: keys,
      unseal_keys_hex: itemsOf(memberOf(value, 'keys')),
      unseal_shares: shares,
      unseal_threshold: threshold,
      recovery_keys_b64: [],
      recovery_keys_hex: [],
      recovery_keys_shares: 0,
      recovery_keys_threshold: 0,
      root_token: token,
    }
    return `${JSON.stringify(made, null, 2)}\n`
  }
  const lines = [
    ...keys.map((key, at) => `Unseal Key ${at + 1}: ${key}`),
    '',
    `Initial Root Token: ${token}`,
    '',
    `Vault initialized with ${shares} key shares and a key threshold of ${threshold}.`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}
