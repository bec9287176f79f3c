import type { ServiceDefinition } from '../kernel/service.ts'
import type { World } from '../kernel/world.ts'
import { versionJobs } from './configuration-version-life.ts'
import { versionTransition } from './configuration-version-transitions.ts'
import { configurationVersions, uploadedVersions, versionKeys } from './configuration-versions.ts'
import { loadPlatformFixtures, platformFixtures } from './fixtures.ts'
import { moduleUploads } from './module-versions.ts'
import { moduleKeys, modules } from './modules.ts'
import { oauthClientKeys, oauthClients } from './oauth-clients.ts'
import { contents, objects } from './objects.ts'
import { optionsOf, platformOptions } from './options.ts'
import { organizations } from './organizations.ts'
import { outbox, outboxNumber } from './outbox.ts'
import { rateLimitEnforcement } from './rate-limit.ts'
import { seedNames, seedPlatform } from './seed.ts'
import { adminSettings } from './settings.ts'
import { teamNames, teams } from './teams.ts'
import { testRunJobs } from './test-run-pace.ts'
import { testRunTransition } from './test-run-transitions.ts'
import { openRuns, testRunKeys, testRuns } from './test-runs.ts'
import { apiTokens, tokenOwners, tokenTexts } from './tokens.ts'
import { usernames, users } from './users.ts'
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
