import { formatTimestamp } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/world.ts'
import {
  emptyOutbox,
  type OutboxMessage,
  sentMessages,
} from '../../state/platform/settings/outbox.ts'
import type { ControlPart } from './part.ts'

/** A mail or text message that went out, its time in RFC 3339. */
export type SentMessage = Omit<OutboxMessage, 'at'> & { readonly at: string }

/** The platform of one world beyond its API: mails and steering. */
export class PlatformControl {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** The test mails and text messages that it sent, oldest first. */
  outbox(): readonly SentMessage[] {
    return sentMessages(this.#world).map(({ at, ...more }) => ({
      ...more,
      at: formatTimestamp(at),
    }))
  }

  /** Forgets the messages that it sent. */
  emptyOutbox(): void {
    emptyOutbox(this.#world)
  }
}

/** The same as a part of a world's control. */
export const platformPart: ControlPart<PlatformControl> = {
  make: (world) => new PlatformControl(world),
}
