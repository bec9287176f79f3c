import { bool, instant, int, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'

/** Renders what an organization tells of itself, by the attributes' names. */
export const organizationTold = {
  name: text,
  email: text,
  /** `org-…` */
  external_id: text,
  created_at: instant,
  /** After a session without activity ends, and any session; null: never set. */
  session_timeout: described(nullable(int), 'Minutes'),
  session_remember: described(nullable(int), 'Minutes'),
  collaborator_auth_policy: word('password', 'two_factor_mandatory'),
  cost_estimation_enabled: bool,
  default_execution_mode: word('remote', 'local', 'agent'),
}

const organizationShape = struct(organizationTold)

/** An organization; its name is its id (2-platform-decisions.md section 1.8). */
export interface Organization extends Stored<typeof organizationShape> {}

/** By name. */
export const organizations = defineTable({
  service: 'platform',
  name: 'organizations',
  shape: organizationShape,
})

/** Adds an organization under a free name; part of a transaction. Teams are added apart. */
export function addOrganization(
  world: World,
  organization: Pick<Organization, 'name' | 'email'> & Partial<Organization>,
): Organization {
  const added: Organization = {
    external_id: newId(world, 'org'),
    cost_estimation_enabled: false,
    session_timeout: null,
    session_remember: null,
    collaborator_auth_policy: 'password',
    default_execution_mode: 'remote',
    created_at: world.clock.now(),
    ...organization,
  }
  world.table(organizations).put(added.name, added)
  return added
}
