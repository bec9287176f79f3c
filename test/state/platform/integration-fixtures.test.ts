import { expect, test } from 'vitest'
import { exportWorld } from '../../../state/kernel/worlds/document.ts'
import type { OrganizationFixture } from '../../../state/platform/fixtures.ts'
import { armor, keyId } from '../../support/platform/gpg-key.ts'
import { platform } from '../../support/platform/platform.ts'
import { localPart } from '../../support/platform/platform-tests.ts'

const section = 'behaviour/platform#seeds'
const organization = 'organizations/example-org'

const acme: OrganizationFixture = {
  name: 'example-org',
  memberships: [
    { email: 'ada@example.com', teams: ['developers'] },
    { email: 'bob@example.com', status: 'invited' },
  ],
  modules: [
    { name: 'app', provider: 'cloud1', noCode: true, files: { 'main.tf': 'variable "size" {}\n' } },
  ],
  connections: [{ name: 'hub' }],
  agentPools: [{ name: 'pool', agents: [{ name: 'a', status: 'busy', ipAddress: '10.0.0.1' }] }],
  workspaces: [
    {
      name: 'net',
      vcsRepo: { identifier: 'acme/net', connection: 'hub', branch: 'dev' },
      configuration: { 'main.tf': 'resource "null_resource" "a" {\n}\n' },
      tasks: [{ name: 'scan', enforcementLevel: 'mandatory', stages: ['pre_plan'] }],
      runTriggers: ['base'],
      runs: [{ message: 'first' }],
    },
    { name: 'base' },
  ],
  tasks: [
    { name: 'scan', url: 'https://scan.example', hmacKey: 'k' },
    {
      name: 'every',
      url: 'https://every.example',
      globalConfiguration: { stages: ['post_plan'], enforcementLevel: 'mandatory' },
    },
  ],
  policies: [{ name: 'cost', enforcementLevel: 'soft-mandatory', policy: 'main = rule { true }' }],
  policySets: [
    {
      name: 'set',
      policies: ['cost'],
      workspaces: ['net'],
      projectExclusions: ['Default Project'],
      tagSelectors: [
        { key: 'env', value: 'prod' },
        { key: 'old', exclude: true },
      ],
      tagSelectorMatchingLogic: 'all',
      parameters: [{ key: 'max', value: '1' }],
    },
  ],
  gpgKeys: [{ asciiArmor: armor }],
  providers: [
    {
      name: 'custom',
      versions: [
        {
          version: '1.0.0',
          shasumsSignature: 'c2lnbmF0dXJl',
          platforms: [
            { os: 'linux', arch: 'amd64', filename: 'custom.zip', binary: 'YmluYXJ5' },
            { os: 'linux', arch: 'arm64', filename: 'arm.zip', shasum: 'f00' },
          ],
        },
      ],
    },
    { name: 'null', namespace: 'others', registryName: 'public' },
  ],
  notificationConfigurations: [
    { name: 'chat', workspace: 'net', url: 'https://chat.example', triggers: ['run:created'] },
    { name: 'mail', team: 'developers', destinationType: 'email', users: ['member'] },
  ],
}

const attributesOf = (list: readonly { attributes: object }[]) =>
  list.map(({ attributes }) => attributes)

test(`${section}: what surrounds runs is loaded by name, exported, and changed by a second loading`, async () => {
  const document = { platform: { organizations: [acme] } }
  const { platform: api, world } = await platform({ document })
  const read = async (path: string) => (await api.get(path)).body.data
  const { id } = await read(`${organization}/workspaces/net`)
  const list = async (path: string) => attributesOf(await read(`${organization}/${path}`))
  expect(await list('organization-memberships')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ email: 'ada@example.com', status: 'active' }),
      expect.objectContaining({ email: 'bob@example.com', status: 'invited' }),
    ]),
  )
  const teams = await read(`${organization}/teams`)
  const developers = teams.find(
    ({ attributes }: { attributes: { name: string } }) => attributes.name === 'developers',
  )
  // Ada, and the member that every example organization has.
  expect(developers.attributes['users-count']).toBe(2)
  const [pool] = await read(`${organization}/agent-pools`)
  expect(attributesOf(await read(`agent-pools/${pool.id}/agents`))).toMatchObject([
    { name: 'a', status: 'busy', 'ip-address': '10.0.0.1' },
  ])
  const net = await read(`workspaces/${id}`)
  expect(net.attributes['vcs-repo']).toMatchObject({
    identifier: 'acme/net',
    branch: 'dev',
    'service-provider': 'github',
  })
  expect(await list('tasks')).toMatchObject([
    { name: 'every', 'global-configuration': { enabled: true, 'enforcement-level': 'mandatory' } },
    { name: 'scan', url: 'https://scan.example', enabled: true },
  ])
  expect(attributesOf(await read(`workspaces/${id}/tasks`))).toMatchObject([
    { 'enforcement-level': 'mandatory', stages: ['pre_plan'] },
  ])
  const inbound = `workspaces/${id}/run-triggers?filter[run-trigger][type]=inbound`
  expect(attributesOf(await read(inbound))).toMatchObject([{ 'sourceable-name': 'base' }])
  const [policy] = await read(`${organization}/policies`)
  expect(policy.attributes).toMatchObject({ name: 'cost', 'enforcement-level': 'soft-mandatory' })
  expect((await api.get(`policies/${policy.id}/download`)).text).toBe('main = rule { true }')
  const [set] = await read(`${organization}/policy-sets`)
  expect(set.attributes).toMatchObject({
    name: 'set',
    'policy-count': 1,
    'workspace-count': 1,
    'tag-selectors': [
      { 'tag-key': 'env', 'tag-value': 'prod', 'is-exclude': false },
      { 'tag-key': 'old', 'tag-value': null, 'is-exclude': true },
    ],
    'tag-selector-matching-logic': 'all',
  })
  expect(set.relationships['project-exclusions'].data).toHaveLength(1)
  expect(attributesOf(await read(`policy-sets/${set.id}/parameters`))).toMatchObject([
    { key: 'max', value: '1' },
  ])
  expect(await list('registry-providers')).toMatchObject([
    { name: 'null', 'registry-name': 'public' },
    { name: 'custom', namespace: 'example-org' },
  ])
  const downloads = '/api/registry/v1/providers/example-org/custom'
  const { body: versions } = await api.get(`${downloads}/versions`)
  expect(versions.versions).toMatchObject([
    { version: '1.0.0', platforms: [{ os: 'linux', arch: 'amd64' }] },
  ])
  const { body: download } = await api.get(`${downloads}/1.0.0/download/linux/amd64`)
  const hash = '9a3a45d01531a20e89ac6ae10b0b0beb0492acd7216a368aa062d1a5fecaf9cd'
  expect(download).toMatchObject({
    shasum: hash,
    filename: 'custom.zip',
    signing_keys: { gpg_public_keys: [{ key_id: keyId }] },
  })
  const contents = await Promise.all(
    [download.shasums_url, download.shasums_signature_url, download.download_url].map(
      async (url) => (await api.get(localPart(url))).text,
    ),
  )
  expect(contents).toEqual([`${hash}  custom.zip\nf00  arm.zip\n`, 'signature', 'binary'])
  const notifications = `workspaces/${id}/notification-configurations`
  expect(attributesOf(await read(notifications))).toMatchObject([
    { name: 'chat', enabled: true, 'destination-type': 'generic' },
  ])
  const [run] = await read(`workspaces/${id}/runs`)
  const stages = attributesOf(await read(`runs/${run.id}/task-stages`))
  expect(stages).toMatchObject([{ stage: 'pre_plan' }, { stage: 'post_plan' }])
  const { included } = (await api.get(`${organization}/registry-modules?include=no-code-modules`))
    .body
  const inputs = await read(`no-code-modules/${included[0].id}/variables`)
  expect(attributesOf(inputs)).toMatchObject([{ key: 'size' }])

  const exported = JSON.parse(JSON.stringify(exportWorld(world)))
  const repeated = await platform({ document: exported })
  expect(JSON.stringify(exportWorld(repeated.world))).toBe(JSON.stringify(exported))
  const again: OrganizationFixture = {
    ...acme,
    agentPools: [{ name: 'pool', agents: [{ name: 'a', status: 'exited' }] }],
    workspaces: [
      { name: 'net', tasks: [{ name: 'scan', stages: ['post_plan'] }], runTriggers: ['base'] },
    ],
    tasks: [{ name: 'scan', url: 'https://other.example' }],
    policies: [{ name: 'cost', enforcementLevel: 'advisory' }],
    policySets: [{ name: 'set', parameters: [{ key: 'max', value: '2' }] }],
    notificationConfigurations: [{ name: 'chat', workspace: 'net', enabled: false }],
  }
  const changed = await platform({
    document: { ...exported, platform: { ...exported.platform, organizations: [again] } },
  })
  const shown = async (path: string) => attributesOf((await changed.platform.get(path)).body.data)
  expect(await shown(`agent-pools/${pool.id}/agents`)).toMatchObject([{ status: 'exited' }])
  expect(await shown(`workspaces/${id}/tasks`)).toMatchObject([{ stages: ['post_plan'] }])
  expect(await shown(`${organization}/tasks`)).toMatchObject([
    { name: 'every' },
    { url: 'https://other.example' },
  ])
  expect(await shown(`${organization}/policies`)).toMatchObject([
    { 'enforcement-level': 'advisory' },
  ])
  expect(await shown(`policy-sets/${set.id}/parameters`)).toMatchObject([{ value: '2' }])
  expect(await shown(notifications)).toMatchObject([{ name: 'chat', enabled: false }])
})

test.each([
  [{ workspaces: [{ name: 'net', tasks: [{ name: 'none' }] }] }, 'task none was not found'],
  [
    { workspaces: [{ name: 'net', vcsRepo: { identifier: 'a/b', connection: 'none' } }] },
    'connection none was not found',
  ],
  [{ policySets: [{ name: 'set', policies: ['none'] }] }, 'policy none was not found'],
  [{ policySets: [{ name: 'set', projectExclusions: ['none'] }] }, 'project none was not found'],
  [{ memberships: [{ email: 'nobody' }] }, 'email is invalid'],
  [{ gpgKeys: [{ asciiArmor: 'none' }] }, 'ascii-armor is invalid'],
  [{ notificationConfigurations: [{ name: 'chat' }] }, 'workspace  was not found'],
] as const)(`${section}: %j is refused with its place`, async (members, problem) => {
  const document = { platform: { organizations: [{ name: 'example-org', ...members }] } }
  const [member] = Object.keys(members)
  await expect(platform({ document })).rejects.toThrow(
    `/platform/organizations/0/${member}/0: ${problem}`,
  )
})
