import type { ServiceDefinition } from '../kernel/service.ts'
import type { World } from '../kernel/world.ts'
import { apiTokens, tokenOwners, tokenTexts } from './accounts/tokens.ts'
import { usernames, users } from './accounts/users.ts'
import { versionJobs } from './configuration-versions/configuration-version-machine.ts'
import {
  configurationVersions,
  uploadedVersions,
  versionKeys,
} from './configuration-versions/configuration-versions.ts'
import { versionTransition } from './configuration-versions/transitions.ts'
import { loadPlatformFixtures, platformFixtures } from './fixtures.ts'
import { moduleKeys, modules } from './modules/modules.ts'
import { oauthClientKeys, oauthClients } from './modules/oauth-clients.ts'
import { moduleUploads } from './modules/versions.ts'
import { contents, objects } from './objects.ts'
import { optionsOf, platformOptions } from './options.ts'
import { organizations } from './organizations/organizations.ts'
import { teamNames, teams } from './organizations/teams.ts'
import { rateLimitEnforcement } from './rate-limit.ts'
import { seedNames, seedPlatform } from './seed.ts'
import { outbox, outboxNumber } from './settings/outbox.ts'
import { adminSettings } from './settings/settings.ts'
import { testRunJobs } from './test-runs/pace.ts'
import { openRuns, testRunKeys, testRuns } from './test-runs/test-runs.ts'
import { testRunTransition } from './test-runs/transitions.ts'
import { variableKeys, variables } from './variables.ts'

/** The infrastructure-automation platform: everything it brings to a world. */
export const platformService: ServiceDefinition = {
  name: 'platform',
  tables: [
    users,
    usernames,
    organizations,
    teams,
    teamNames,
    apiTokens,
    tokenTexts,
    tokenOwners,
    oauthClients,
    oauthClientKeys,
    modules,
    moduleKeys,
    moduleUploads,
    adminSettings,
    rateLimitEnforcement,
    variables,
    variableKeys,
    configurationVersions,
    versionKeys,
    uploadedVersions,
    objects,
    contents,
    testRuns,
    testRunKeys,
    openRuns,
    outbox,
    outboxNumber,
  ],
  options: platformOptions,
  fixtures: platformFixtures,
  jobs: { ...testRunJobs, ...versionJobs },
  transitions: [testRunTransition, versionTransition],
  seed: seedPlatform,
  load: loadPlatformFixtures,
  info: platformInfo,
}

/** The platform's part of `/_mock/info` (DESIGN section 6). */
export interface PlatformInfo {
  readonly organization: string
  readonly module: { readonly namespace: string; readonly name: string; readonly provider: string }
  readonly tokens: {
    readonly siteAdmin: string
    readonly owner: string
    readonly member: string
  }
}

/** Names and tokens that a fresh world has. */
export function platformInfo(world: World): PlatformInfo {
  const { siteAdminToken: siteAdmin, ownerToken: owner, memberToken: member } = optionsOf(world)
  return { ...seedNames, tokens: { siteAdmin, owner, member } }
}
