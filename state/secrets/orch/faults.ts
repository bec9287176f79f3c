import { parseGoDuration, toSeconds } from '../../go/duration.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'

/** A token that is asked of the orchestrator. */
interface TokenCall {
  /** URL of the orchestrator's API. */
  readonly host: string
  readonly namespace: string
  readonly account: string
}

/**
 * Why the orchestrator does not give a token, by the world's options; undefined when it does. Slow
 * means too slow: the answer does not wait for it (named choice `orch-faults`).
 */
export function failureOf(world: World, call: TokenCall, ttl: number): string | undefined {
  const { orchFault, orchMinTtl } = optionsOf(world)
  const { host, namespace, account } = call
  const url = `${host}/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  switch (orchFault) {
    case 'unreachable':
      return `Post "${url}": dial tcp ${addressOf(host)}: connect: connection refused`
    case 'slow':
      return `Post "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
    case 'refused':
      return `serviceaccounts "${account}" is forbidden: User "system:serviceaccount:default:default" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${namespace}"`
    case 'none':
      break
  }
  const minTtl = toSeconds(parseGoDuration(orchMinTtl))
  if (ttl >= minTtl) return undefined
  return `spec.expirationSeconds: Invalid value: ${ttl}: may not specify a duration less than ${formatSeconds(minTtl)}`
}

/** Host and port of a URL; the text itself when it is none. */
function addressOf(host: string): string {
  const [, scheme, address] = /^(https?):\/\/([^/]+)/i.exec(host) ?? []
  if (address === undefined) return host
  if (/:\d+$/.test(address)) return address
  return `${address}:${scheme?.toLowerCase() === 'http' ? 80 : 443}`
}

function formatSeconds(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
}
