import { type Message, renderMessage } from '../../state/kernel/message.ts'

/** Returns the texts of warnings in the neutral dialect. */
export function renderMessages(warnings: readonly Message[]): string[] {
  return warnings.map((warning) => renderMessage(warning))
}
