import { instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { oauthClientOfToken } from '../modules/oauth-clients.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import type { Repository } from '../workspaces/repository.ts'

export const vcsEventAttributes = {
  created_at: instant,
  level: word('info', 'error'),
  message: text,
}

const eventShape = struct({
  ...vcsEventAttributes,
  /** Id of the form `ve-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /**
   * Id of the OAuth client; null if the repository is connected through an app, or if the client or
   * its token was deleted before the event.
   */
  oauth_client: nullable(text),
  /** Id of the client's token; null if the repository is connected through an app. */
  oauth_token_id: nullable(text),
})

/** A record of a push, or of a connection to a repository (behaviour/platform#vcs-events). */
export interface VcsEvent extends StoredOf<typeof eventShape> {}

/** VCS events by `<organization>/<number>`, in creation order. */
export const vcsEvents = platformTable('vcs-events', eventShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(vcsEvents, 'organization')

/** Functions of `ownedRows` for the VCS events of an organization. */
export const { dropAll: dropVcsEvents, move: moveVcsEvents } = rows

/** Time after which an event is deleted, in milliseconds: 10 days. */
const eventLifetime = 10 * 24 * 3_600_000

/** Returns the events of the last 10 days, newest first. */
export function vcsEventsOf(world: World, organization: string): VcsEvent[] {
  const oldest = world.clock.now() - eventLifetime
  return rows
    .of(world, organization)
    .filter(({ created_at }) => created_at >= oldest)
    .reverse()
}

/** Adds an event, and deletes events that are older than 10 days. Must run inside a transaction. */
export function addVcsEvent(
  world: World,
  organization: string,
  { oauth_token_id }: Repository,
  message: string,
): void {
  const now = world.clock.now()
  for (const { id, created_at } of rows.of(world, organization)) {
    if (created_at >= now - eventLifetime) break
    rows.drop(world, { id })
  }
  rows.put(world, {
    id: newId(world, 've'),
    organization,
    oauth_client: oauthClientOfToken(world, oauth_token_id ?? '')?.id ?? null,
    oauth_token_id,
    created_at: now,
    level: 'info',
    message,
  })
}
