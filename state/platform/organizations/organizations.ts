import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'

/** An organization; its name is its id (2-platform-decisions.md section 1.8). */
export interface Organization {
  readonly name: string
  readonly email: string
  /** `org-…` */
  readonly external_id: string
  readonly cost_estimation_enabled: boolean
  /** Minutes after which a session without activity ends, and any session; null: never set. */
  readonly session_timeout: number | null
  readonly session_remember: number | null
  readonly collaborator_auth_policy: 'password' | 'two_factor_mandatory'
  readonly default_execution_mode: 'remote' | 'local' | 'agent'
  /** Milliseconds since 1970. */
  readonly created_at: number
}

/** By name. */
export const organizations = defineTable<Organization>({
  service: 'platform',
  name: 'organizations',
  schema: {
    type: 'object',
    required: [
      'name',
      'email',
      'external_id',
      'cost_estimation_enabled',
      'session_timeout',
      'session_remember',
      'collaborator_auth_policy',
      'default_execution_mode',
      'created_at',
    ],
    additionalProperties: false,
    properties: {
      name: { type: 'string' },
      email: { type: 'string' },
      external_id: { type: 'string' },
      cost_estimation_enabled: { type: 'boolean' },
      session_timeout: { type: ['integer', 'null'] },
      session_remember: { type: ['integer', 'null'] },
      collaborator_auth_policy: { enum: ['password', 'two_factor_mandatory'] },
      default_execution_mode: { enum: ['remote', 'local', 'agent'] },
      created_at: { type: 'integer' },
    },
  },
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
