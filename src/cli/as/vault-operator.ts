import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import {
  type CommandOutput,
  flagOf,
  type ParsedArguments,
  type ProductClient,
} from './product-call.ts'

/** Default number of key shares, and default number of shares that are needed to unseal. */
const defaultShares = { shares: 5, threshold: 3 }

/**
 * Initializes the server (behaviour/program#drop-in). Returns the key shares and the root token as
 * text, or as JSON with `-format=json`.
 */
export async function initialize(server: ProductClient, args: ParsedArguments): Promise<string> {
  const shares = Number(flagOf(args, 'key-shares') ?? flagOf(args, 'n') ?? defaultShares.shares)
  const threshold = Number(
    flagOf(args, 'key-threshold') ?? flagOf(args, 't') ?? defaultShares.threshold,
  )
  const body = { secret_shares: shares, secret_threshold: threshold }
  const { value } = await server.send('PUT', 'sys/init', body)
  const keys = itemsOf(memberOf(value, 'keys_base64'))
  const token = textAt(value, 'root_token')
  if (flagOf(args, 'format') === 'json') {
    const output = {
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
    return `${JSON.stringify(output, null, 2)}\n`
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

/** Returns the state of the node. As in the product, the exit code of a sealed node is 2. */
export async function status(server: ProductClient, args: ParsedArguments): Promise<CommandOutput> {
  const { value } = await server.send('GET', 'sys/seal-status')
  const text = await renderStatus(server, args, value)
  return memberOf(value, 'sealed') === true ? { code: 2, text } : text
}

/**
 * Formats the seal status as a table, or as JSON with `-format=json`. Asks an unsealed server
 * whether it belongs to a cluster with standby nodes.
 */
export async function renderStatus(
  server: ProductClient,
  args: ParsedArguments,
  seal: unknown,
): Promise<string> {
  const isSealed = memberOf(seal, 'sealed') === true
  // For a sealed node, which does not report `ha_enabled`, the product's command assumes a cluster.
  const hasStandbys =
    isSealed || memberOf((await server.send('GET', 'sys/leader')).value, 'ha_enabled') === true
  if (flagOf(args, 'format') === 'json') {
    return `${JSON.stringify({ ...Object(seal), ha_enabled: hasStandbys }, null, 2)}\n`
  }
  const progress = [
    ['Unseal Progress', `${memberOf(seal, 'progress')}/${memberOf(seal, 't')}`],
    ['Unseal Nonce', textAt(seal, 'nonce') || 'n/a'],
  ]
  const cluster = [
    ['Cluster Name', textAt(seal, 'cluster_name')],
    ['Cluster ID', textAt(seal, 'cluster_id')],
  ]
  const rows = [
    ['Key', 'Value'],
    ['---', '-----'],
    ['Seal Type', textAt(seal, 'type')],
    ['Initialized', String(memberOf(seal, 'initialized'))],
    ['Sealed', String(isSealed)],
    ['Total Shares', String(memberOf(seal, 'n'))],
    ['Threshold', String(memberOf(seal, 't'))],
    ...(isSealed ? progress : []),
    ['Version', textAt(seal, 'version')],
    ['Build Date', textAt(seal, 'build_date')],
    ['Storage Type', textAt(seal, 'storage_type')],
    ...(isSealed ? [] : cluster),
    ['HA Enabled', String(hasStandbys)],
  ]
  return rows
    .map(([key = '', shown = '']) => `${key.padEnd(isSealed ? 19 : 16)}${shown}\n`)
    .join('')
}
