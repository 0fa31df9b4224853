import type { Log } from '../ports.js';
import { endGroup, processStartTime } from './process-group.js';

/** One server process that we started, as a later tick can recognise it. */
export interface RecordedServer {
  pid: number;
  startTime: string;
  name: string;
}

/** The servers that are running because of us; it outlives this process. */
export interface ServerRegistry {
  record(server: RecordedServer): void;
  forget(pid: number): void;
  list(): RecordedServer[];
}

/** Ends the servers that a killed tick left behind, if pid and start time still prove them ours; forgets all others. */
export async function endSurvivors(registry: ServerRegistry, log: Log): Promise<void> {
  await Promise.all(
    registry.list().map(async (server) => {
      if (!isAlive(server) || (await endSurvivor(server, log))) registry.forget(server.pid);
    }),
  );
}

function isAlive(server: RecordedServer): boolean {
  return processStartTime(server.pid) === server.startTime;
}

async function endSurvivor({ pid, name }: RecordedServer, log: Log): Promise<boolean> {
  const gone = await endGroup(pid);
  const message = gone
    ? 'Ended a tool server left by an earlier tick'
    : 'A tool server left by an earlier tick will not end';
  log.write('warning', message, { server: name, pid });
  return gone;
}
