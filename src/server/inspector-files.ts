import { createHash } from 'node:crypto'
import type { InspectorFile } from '../../routes/control/inspector.ts'
import { listPackedFiles, readPackedFile } from '../packed-files.ts'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Paths from packed-files.ts: beside the built program, or where a build has put it among the sources. */
const folders = ['./inspector/', '../dist/src/inspector/']

/** Reads the inspector as it was built; none of its files where it was not (behaviour/program#inspector). */
export function readInspector(): ReadonlyMap<string, InspectorFile> {
  for (const folder of folders) {
    const files = filesIn(folder)
    if (files.size > 0) return files
  }
  return new Map()
}

/** Whether the inspector was built; reads none of it. */
export function hasInspector(): boolean {
  return folders.some((folder) => listPackedFiles(folder).length > 0)
}

function filesIn(folder: string): ReadonlyMap<string, InspectorFile> {
  return new Map(
    listPackedFiles(folder).flatMap((name) => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)]
      return type === undefined ? [] : [[name, fileOf(folder + name, type)] as const]
    }),
  )
}

function fileOf(path: string, type: string): InspectorFile {
  const bytes = readPackedFile(path)
  const digest = createHash('sha256').update(bytes).digest('base64url')
  return { type, bytes, etag: `"${digest.slice(0, 22)}"` }
}
