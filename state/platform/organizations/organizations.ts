import { bool, instant, int, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { addDefaultProject, defaultProject } from '../projects/projects.ts'
import { platformTable } from '../table.ts'

/** Boolean settings of an organization; missing in documents of old releases. */
const organizationSwitches = {
  assessments_enforced: optional(bool),
  allow_force_delete_workspaces: optional(bool),
  speculative_plan_management_enabled: optional(bool),
  aggregated_commit_status_enabled: optional(bool),
  send_passing_statuses_for_untriggered_speculative_plans: optional(bool),
  user_tokens_enabled: optional(bool),
  stacks_enabled: optional(bool),
  enforce_hyok: optional(bool),
  max_ttl_enabled: optional(bool),
}

export type OrganizationSwitch = keyof typeof organizationSwitches

export const switchDefaults: Readonly<Record<OrganizationSwitch, boolean>> = {
  assessments_enforced: false,
  allow_force_delete_workspaces: false,
  speculative_plan_management_enabled: true,
  aggregated_commit_status_enabled: true,
  send_passing_statuses_for_untriggered_speculative_plans: false,
  user_tokens_enabled: true,
  stacks_enabled: false,
  enforce_hyok: false,
  max_ttl_enabled: false,
}

export const organizationAttributes = {
  name: text,
  email: text,
  /** Id of the form `org-…`. */
  external_id: text,
  created_at: instant,
  /** Time after which an idle session ends; null if never set. */
  session_timeout: described(nullable(int), 'Minutes'),
  /** Maximum lifetime of a session; null if never set. */
  session_remember: described(nullable(int), 'Minutes'),
  collaborator_auth_policy: word('password', 'two_factor_mandatory'),
  cost_estimation_enabled: bool,
  default_execution_mode: word('remote', 'local', 'agent'),
  ...organizationSwitches,
  owners_team_saml_role_id: optional(nullable(text)),
}

/** Attributes of an organization that only site admins can read and change. */
export const administrationAttributes = {
  access_beta_tools: bool,
  is_disabled: bool,
  /** Whether all organizations may use the private modules. */
  global_module_sharing: nullable(bool),
  /** Whether all organizations may use the private providers. */
  global_provider_sharing: nullable(bool),
  /** Maximum number of workspaces; null means unlimited. */
  workspace_limit: nullable(int),
  infra_worker_sudo_enabled: vendorNamed('terraform-worker-sudo-enabled', bool),
  apply_timeout: nullable(text),
  plan_timeout: nullable(text),
}

const administrationShape = struct({
  ...administrationAttributes,
  /** External ids of the organizations that may use the private modules. */
  module_consumers: list(text),
})

/** Defaults of the settings that only site admins can change. */
export const administrationDefaults: StoredOf<typeof administrationShape> = {
  access_beta_tools: false,
  is_disabled: false,
  global_module_sharing: false,
  global_provider_sharing: false,
  workspace_limit: null,
  infra_worker_sudo_enabled: false,
  apply_timeout: null,
  plan_timeout: null,
  module_consumers: [],
}

const organizationShape = struct({
  ...organizationAttributes,
  /**
   * Id of the default agent pool of workspaces. The default applies to a workspace without a pool
   * if its project sets neither an execution mode nor a pool.
   */
  default_agent_pool: optional(nullable(text)),
  /** Settings for site admins; missing until a site admin changes a setting. */
  administration: optional(administrationShape),
})

/** An organization, identified by its name (behaviour/platform#ids). */
export interface Organization extends StoredOf<typeof organizationShape> {}

export const organizations = platformTable('organizations', organizationShape, {
  secrets: 'none',
})

/**
 * Inserts or replaces an organization. Adds the default project if the organization does not have
 * it. Does not create the owners team. Must run inside a transaction.
 */
export function putOrganization(
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
  if (defaultProject(world, added.name) === undefined) addDefaultProject(world, added.name)
  return added
}
