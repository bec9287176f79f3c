import { canonicalJson, type Json } from '../kernel/json.ts'

/**
 * The text under which a secret is kept: canonical, and in one piece. A text put together from parts
 * keeps all of them in memory, several times its own size, until something lays it out.
 */
export function storedJson(value: Json): string {
  return Buffer.from(canonicalJson(value)).toString()
}
