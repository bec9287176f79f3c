import { Refusal } from '../../kernel/refusal.ts'
import { loginChecks, say } from './texts.ts'

/**
 * A login that does not pass a check. The text tells the caller little, so what was found goes along
 * for logs and the journal.
 *
 * @param why for people
 */
export function loginRefused(check: keyof typeof loginChecks, why: string): Refusal {
  const { kind, ...wording } = loginChecks[check]
  const detail = 'detail' in wording ? wording.detail : {}
  return new Refusal(kind, say(check), { ...detail, why })
}
