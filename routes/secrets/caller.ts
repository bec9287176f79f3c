import { tokenRefused } from '../../state/secrets/refusals.ts'
import type { Token } from '../../state/secrets/tokens/tokens.ts'

/** Who calls. Paths that are not open always have a caller; this tells the compiler. */
export function callerOf(call: { readonly token: Token | undefined }): Token {
  if (call.token === undefined) throw tokenRefused()
  return call.token
}
