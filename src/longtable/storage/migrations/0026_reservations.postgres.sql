-- The second wall, as for every table of a tenant.
ALTER TABLE reservations ENABLE ROW LEVEL SECURITY;
ALTER TABLE reservations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON reservations USING (current_setting('longtable.tenant', true) IN (tenant, '*'));
