import { createHash } from 'node:crypto'
import type { InspectorFile } from '../../routes/control/inspector.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { listPackedFiles, readPackedFile } from '../packed-files.ts'

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/**
 * Folders of the inspector, relative to packed-files.ts: in the built program, or in the build
 * output beside the sources.
 */
const folders = ['./inspector/', '../dist/src/inspector/']

/** Folders of the trace page, relative to packed-files.ts. */
const traceFolders = ['./trace/', '../dist/src/trace/']

/** Returns the files of the inspector; empty if it was not built (behaviour/program#inspector). */
export function readInspector(): ReadonlyMap<string, InspectorFile> {
  for (const folder of folders) {
    const files = filesIn(folder)
    if (files.size > 0) return files
  }
  return new Map()
}

/** Returns true if the inspector was built, without reading its files. */
export function hasInspector(): boolean {
  return folders.some((folder) => listPackedFiles(folder).length > 0)
}

/**
 * Returns the HTML of a trace page that contains no data yet. Throws a refusal if the page was not
 * built.
 */
export function readTraceTemplate(): string {
  const [folder] = traceFolders.filter((path) => listPackedFiles(path).length > 0)
  if (folder === undefined) {
    throw new Refusal('unavailable', 'the page of traces was not built')
  }
  return readPackedFile(`${folder}trace.html`).toString('utf8')
}

function filesIn(folder: string): ReadonlyMap<string, InspectorFile> {
  return new Map(
    listPackedFiles(folder).flatMap((name) => {
      const type = contentTypes[name.slice(name.lastIndexOf('.') + 1)]
      return type === undefined ? [] : [[name, fileOf(folder + name, type)] as const]
    }),
  )
}

function fileOf(path: string, type: string): InspectorFile {
  const bytes = readPackedFile(path)
  const digest = createHash('sha256').update(bytes).digest('base64url')
  return { type, bytes, etag: `"${digest.slice(0, 22)}"` }
}
