import { expect } from 'vitest'
import type { PlatformClient } from './platform.ts'
import { resource } from './platform-workspaces.ts'

/**
 * Creates a run task in the fresh world's organization, and returns its resource. Throws if the
 * server refuses the request.
 */
export async function makeTask(api: PlatformClient, attributes: object = {}) {
  const inputs = { name: 'scan', url: 'https://scan.example/hook', category: 'task', ...attributes }
  const reply = await api.post('organizations/example-org/tasks', resource('tasks', inputs))
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

/**
 * Attaches a task to a workspace, and returns the attachment. Throws if the server refuses the
 * request.
 */
export async function attachTask(
  api: PlatformClient,
  workspace: string,
  task: string,
  attributes: object = {},
) {
  const inputs = { 'enforcement-level': 'advisory', ...attributes }
  const related = { task: { data: { type: 'tasks', id: task } } }
  const body = resource('workspace-tasks', inputs, related)
  const reply = await api.post(`workspaces/${workspace}/tasks`, body)
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}
