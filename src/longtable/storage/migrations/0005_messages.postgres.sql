-- The second wall, as for every table of a tenant.
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON messages USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE message_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON message_counts USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
ALTER TABLE inbox_cursors ENABLE ROW LEVEL SECURITY;
ALTER TABLE inbox_cursors FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON inbox_cursors USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
