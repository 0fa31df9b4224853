import type { LabelEvent } from '../ports.js';

/** Whether the request label was put on anew since the event that the last attempt was started by. */
export function isPutOnAnew(event: LabelEvent, stored: { id: string; at: string } | null): boolean {
  if (stored === null) return true;
  const [newer, older] = [Date.parse(event.at), Date.parse(stored.at)];
  return newer !== older ? newer > older : event.id !== stored.id && Number(event.id) > Number(stored.id);
}
