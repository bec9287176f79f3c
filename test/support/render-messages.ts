import { type Message, renderMessage } from '../../state/kernel/message.ts'

/** Warnings in the specification's words. */
export function renderMessages(warnings: readonly Message[]): string[] {
  return warnings.map((warning) => renderMessage(warning))
}
