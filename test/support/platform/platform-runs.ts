import { expect } from 'vitest'
import { archiveOf } from './archives.ts'
import type { PlatformClient, PlatformSettings } from './platform.ts'
import { localPart } from './platform-tests.ts'
import { resource, withWorkspace } from './platform-workspaces.ts'

/**
 * Creates a configuration version without files in a workspace, and returns its resource. Throws if
 * the server refuses the request.
 */
export async function makeConfiguration(
  api: PlatformClient,
  workspace: string,
  attributes: object = {},
) {
  const body = resource('configuration-versions', { 'auto-queue-runs': false, ...attributes })
  const reply = await api.post(`workspaces/${workspace}/configuration-versions`, body)
  expect(reply.status).toBe(201)
  return reply.body.data
}

/**
 * Uploads files to a new configuration version of a workspace, and returns its id. Throws if the
 * server refuses a request.
 */
export async function uploadConfiguration(
  api: PlatformClient,
  workspace: string,
  files: Readonly<Record<string, string>> = { 'main.tf': 'resource "null_resource" "a" {\n}\n' },
  attributes: object = {},
): Promise<string> {
  const { id, attributes: made } = await makeConfiguration(api, workspace, attributes)
  const path = localPart(made['upload-url'])
  const reply = await api.request('PUT', path, archiveOf(files), { token: null })
  expect(reply.status).toBe(200)
  return id
}

/** Returns the body of a request that creates a run of a workspace. */
export function runBody(workspace: string, attributes: object = {}, version?: string) {
  return resource('runs', attributes, {
    workspace: { data: { type: 'workspaces', id: workspace } },
    ...(version === undefined
      ? {}
      : { 'configuration-version': { data: { type: 'configuration-versions', id: version } } }),
  })
}

/**
 * Returns functions that create and read runs of a workspace, and that carry out actions on them.
 */
export function runsOn(api: PlatformClient, workspace: string) {
  return {
    /** Creates a run and returns its id. Throws if the server refuses the request. */
    async create(attributes: object = {}, version?: string): Promise<string> {
      const reply = await api.post('runs', runBody(workspace, attributes, version))
      expect([reply.status, reply.body.errors]).toEqual([201, undefined])
      return reply.body.data.id
    },
    read: async (id: string) => (await api.get(`runs/${id}`)).body.data,
    status: async (id: string) => (await api.get(`runs/${id}`)).body.data.attributes.status,
    act: async (id: string, action: string, body: object = {}) =>
      (await api.post(`runs/${id}/actions/${action}`, body)).status,
  }
}

/**
 * Starts a server with a workspace that has an uploaded configuration version. Also returns the
 * functions of `runsOn` for this workspace.
 */
export async function withConfiguration(settings: PlatformSettings = {}) {
  const server = await withWorkspace(settings)
  const version = await uploadConfiguration(server.api, server.id)
  return { ...server, version, runs: runsOn(server.api, server.id) }
}
