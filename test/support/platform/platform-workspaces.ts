import { expect } from 'vitest'
import { type PlatformClient, platform } from './platform.ts'
import { addCallers } from './platform-callers.ts'

/** Path of the list of workspaces in the fresh world's organization. */
export const workspaceList = 'organizations/example-org/workspaces'

/** Returns a document with one resource. */
export function resource(type: string, attributes: object = {}, relationships: object = {}) {
  return { data: { type, attributes, relationships } }
}

/** Creates a workspace and returns its resource. Throws if the server refuses the request. */
export async function makeWorkspace(
  api: PlatformClient,
  name: string,
  attributes: object = {},
  relationships: object = {},
) {
  const body = resource('workspaces', { name, ...attributes }, relationships)
  const reply = await api.post(workspaceList, body)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/** Creates a project and returns its id. Throws if the server refuses the request. */
export async function makeProject(
  api: PlatformClient,
  name: string,
  attributes: object = {},
): Promise<string> {
  const body = resource('projects', { name, ...attributes })
  const reply = await api.post('organizations/example-org/projects', body)
  expect(reply.status).toBe(201)
  return reply.body.data.id
}

/** Returns the relationships of a workspace that belongs to a project. */
export function inProject(id: string) {
  return { project: { data: { id, type: 'projects' } } }
}

/** Returns the id of a team in the fresh world's organization. Throws if there is no such team. */
export async function teamId(api: PlatformClient, name = 'developers'): Promise<string> {
  const { data } = (await api.get('organizations/example-org/teams')).body
  return data.find((team: { attributes: { name: string } }) => team.attributes.name === name).id
}

/**
 * Gives rights in the organization to the team of `member-token`. Throws if the server refuses the
 * request.
 */
export async function giveRights(api: PlatformClient, ...rights: readonly string[]): Promise<void> {
  const access = Object.fromEntries(rights.map((right) => [right, true]))
  const body = resource('teams', { 'organization-access': access })
  expect((await api.patch(`teams/${await teamId(api)}`, body)).status).toBe(200)
}

/** Starts a server with the tokens of `extraTokens` and one workspace, `net`. */
export async function withWorkspace(settings: Parameters<typeof platform>[0] = {}) {
  const server = await platform(settings)
  addCallers(server.world)
  const { id } = await makeWorkspace(server.platform, 'net')
  return { ...server, api: server.platform, id: String(id) }
}

/** Returns the body of a 409 with the title `conflict`. */
export function conflict(detail: string) {
  return { errors: [{ status: '409', title: 'conflict', detail }] }
}
