import type { Token } from '../../state/secrets/tokens/tokens.ts'
import { refuse } from './texts.ts'

/** Who calls. Paths that are not open always have a caller; this tells the compiler. */
export function callerOf(call: { readonly token: Token | undefined }): Token {
  if (call.token === undefined) throw refuse('token-refused')
  return call.token
}
