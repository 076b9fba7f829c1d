-- The trace (W3C `traceparent`) of the call that asked a person, so that the wait and the approved call can be joined to it.
ALTER TABLE decisions ADD COLUMN trace TEXT;
