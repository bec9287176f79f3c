import { renderMessage } from '../../../state/kernel/message.ts'
import { refuse } from '../../../state/platform/messages.ts'
import type { Action } from '../../faults/declare/fault-shapes.ts'

/** Status and error title of each refusal that presets simulate, by rule. */
const failures = {
  'outputs-unknown': { status: 503, title: 'service unavailable' },
  'already-locked': { status: 409, title: 'conflict' },
  'state-needs-lock': { status: 409, title: 'conflict' },
  'state-serial-old': { status: 412, title: 'precondition failed' },
} as const

/** Returns a fault action that replies as the API does when the rule refuses a request. */
export function refusalAction(rule: keyof typeof failures): Action {
  const { status, title } = failures[rule]
  const text = renderMessage(refuse(rule).reason)
  const detail = text === title ? {} : { detail: text }
  const body = JSON.stringify({ errors: [{ status: String(status), title, ...detail }] })
  return { status, body, headers: { 'content-type': 'application/vnd.api+json' } }
}
